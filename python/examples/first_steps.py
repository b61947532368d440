"""First steps: items, answers, a ranking, and the pair that is worth asking next."""

import ordain
import pandas as pd

lamps = pd.DataFrame({"watts": [40, 60, 25, 75]}, index=["red", "blue", "green", "white"])
model = ordain.PreferenceModel().fit(lamps, [("blue", "red"), ("red", "green")])
print(model.rank())

first, second = model.ask()
print(f"which is better, {first} or {second}?")
model.tell(first, second, judge="ann")

print(model.certainty())
print(model.predict([("white", "green")]))

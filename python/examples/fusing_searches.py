"""Fusing searches: one list of several engines, and how much each engine counts, learned from clicks."""

import ordain
from ordain import fusion

web = ["ordain.dev", "ordain.wiki", "ordination.org"]
code = ["ordain.dev", "crates.example/ordain", "ordain.wiki"]
news = ["ordination.org", "bishops.example", "ordain.wiki"]
print(fusion.fuse([web, code, news], method="rrf"))

hedge = ordain.Hedge(beta=0.6)
for better, worse in [("ordain.dev", "ordination.org"), ("ordain.wiki", "bishops.example"), ("ordain.dev", "ordain.wiki")]:
    hedge.partial_fit([web, code, news], [(better, worse)])
print("weights:", hedge.weights_.round(3))
print(f"lost {hedge.loss_:.2f}, at most {hedge.bound_:.2f}")
assert hedge.weights_.argmin() == 2
print(hedge.predict([web, code, news]).ids)

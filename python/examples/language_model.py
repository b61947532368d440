"""A language model as judge, behind any URL that speaks OpenAI's protocol: python language_model.py URL MODEL.

Both presentation orders are asked, because language models like one side. Ties and refusals are what they are.
"""

import json
import os
import sys
import urllib.request

import ordain

URL, MODEL = sys.argv[1], sys.argv[2]
ANSWERS = {
    "capital": "The capital of France is Paris.",
    "shrug": "I am not sure, maybe Lyon?",
    "essay": "France, a country in Western Europe, has had Paris as its capital since 987.",
    "wrong": "The capital of France is Marseille.",
}
QUESTION = "Which answer to 'What is the capital of France?' is better? Reply with A, B or tie.\n\nA: {}\n\nB: {}"


def judge(left: str, right: str) -> str | None:
    """Sends one request and reads one word."""
    prompt = QUESTION.format(ANSWERS[left], ANSWERS[right])
    body = {"model": MODEL, "messages": [{"role": "user", "content": prompt}], "temperature": 0}
    request = urllib.request.Request(
        f"{URL}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        reply = json.load(response)["choices"][0]["message"]["content"].strip().lower()
    return {"a": "first", "b": "second", "tie": "tie"}.get(reply)


model = ordain.PreferenceModel(tie_width=0.2, sides=True).fit(list(ANSWERS))
run = model.run(judge, budget=12, both_orders=True, concurrency=4, name=MODEL)
print(run)
print(model.rank())
print(model.judges())

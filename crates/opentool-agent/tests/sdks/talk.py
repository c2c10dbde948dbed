"""Holds conversations with a provider's own SDK, as the plan on standard input says, and prints what it understood.

One module a wire knows how its SDK is used; this file knows the plan. It deliberately knows nothing of opentool: what
it sends and understands is to be a second opinion.
"""

import importlib
import json
import sys

import judge


def talk(wire, client, plan, streaming):
    """Three questions: one with an image that is answered with calls, one with their results, one in words."""
    turns = [("system", plan["system"]), ("user", plan["question"])]
    answers = []
    for more in (None, "results", "last"):
        if more == "results":
            turns.append(("results", list(zip(answers[-1]["calls"], plan["results"]))))
        elif more == "last":
            turns.append(("user", [{"text": plan["last"]}]))
        answer, turn = wire.ask(client, plan, turns, streaming, None)
        answers.append(answer)
        turns.append(("turn", turn))
    return answers


def reading(wire, client, plan, streaming):
    """One answer, or the name of the error that the SDK raises instead."""
    try:
        return wire.ask(client, plan, [("user", [{"text": "?"}])], streaming, None)[0]
    except Exception as error:  # Whatever the SDK raises is what its users see.
        return {"error": type(error).__name__, "text": str(error)}


def main():
    plan = json.load(sys.stdin)
    wire = importlib.import_module(plan["wire"])
    talks = []
    for one in plan["talks"]:
        client = wire.client(one["base"], plan["key"])
        talks.append(talk(wire, client, plan, one["streaming"]))
    client = wire.client(plan["wishes"]["base"], plan["key"])
    for choice in plan["wishes"]["choices"]:
        wire.ask(client, plan, [("user", [{"text": "?"}])], False, choice)
    client = wire.client(plan["readings"]["base"], plan["key"])
    readings = [reading(wire, client, plan, streaming) for streaming in plan["readings"]["streaming"]]
    complaints = [judge.complaints(wire.judged(one["kind"], one["value"])) for one in plan["judged"]]
    json.dump({"talks": talks, "readings": readings, "complaints": complaints}, sys.stdout)


if __name__ == "__main__":
    main()

"""What other libraries make of schemas for OpenAI's strict mode.

    python schemas.py < schemas.json

prints {library: {case: {"schema": ..} or {"refused": ..}}} for openai-agents, pydantic-ai and langchain-core.
"""

import copy
import json
import sys

from agents.strict_schema import ensure_strict_json_schema
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer


def openai_agents(schema):
    return ensure_strict_json_schema(schema)


def pydantic_ai(schema):
    return OpenAIJsonSchemaTransformer(schema, strict=True).walk()


def langchain_core(schema):
    # A schema is taken for a tool by its title.
    return convert_to_openai_tool({"title": "tool", **schema}, strict=True)["function"]["parameters"]


LIBRARIES = {"openai-agents": openai_agents, "pydantic-ai": pydantic_ai, "langchain-core": langchain_core}


def attempt(lower, schema):
    try:
        return {"schema": lower(copy.deepcopy(schema))}
    except Exception as error:  # whatever a library raises is its answer
        return {"refused": type(error).__name__}


if __name__ == "__main__":
    cases = json.load(sys.stdin)
    answers = {
        library: {name: attempt(lower, case["schema"]) for name, case in cases.items()}
        for library, lower in LIBRARIES.items()
    }
    print(json.dumps(answers, indent=1, ensure_ascii=False))

"""Responses with `openai`."""

import json
import typing

from openai import OpenAI
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)


def client(base, key):
    return OpenAI(base_url=base, api_key=key, max_retries=0, timeout=30, _strict_response_validation=True)


def part(block):
    if "text" in block:
        return {"type": "input_text", "text": block["text"]}
    return {"type": "input_image", "image_url": f"data:{block['mime']};base64,{block['data']}", "detail": "auto"}


def output(result):
    if "image" in result:
        return [part({"text": result["text"]}), part(result["image"])]
    return result.get("error") or result.get("text") or json.dumps(result["value"])


def items(turns):
    for kind, turn in turns:
        if kind == "system":
            yield {"role": "system", "content": turn}
        elif kind == "user":
            yield {"role": "user", "content": [part(block) for block in turn]}
        elif kind == "turn":
            yield from turn
        else:
            for call, result in turn:
                yield {"type": "function_call_output", "call_id": call["id"], "output": output(result)}


def request(plan, turns, choice):
    tools = [{"type": "function", "strict": False, **tool} for tool in plan["tools"]]
    sent = {"model": plan["model"], "input": list(items(turns)), "tools": tools, "store": False}
    if choice is not None:
        sent["parallel_tool_calls"] = False
        if isinstance(choice, dict):
            sent["tool_choice"] = {"type": "function", "name": choice["tool"]}
        elif choice != "auto":
            sent["tool_choice"] = choice
    return sent


def ask(client, plan, turns, streaming, choice):
    sent = request(plan, turns, choice)
    if not streaming:
        response = client.responses.create(**sent)
    else:
        # Pieces are put together here as well, to see whether they fit the whole.
        text = ""
        for event in client.responses.create(**sent, stream=True):
            if event.type in ("response.output_text.delta", "response.refusal.delta"):
                text += event.delta
            elif event.type in ("response.completed", "response.incomplete", "response.failed"):
                response = event.response
            elif event.type == "error":
                raise RuntimeError(event.message)
        if response.error is not None:
            raise RuntimeError(response.error.message)
        whole = response.output_text or "".join(refusals(response))
        assert text == whole, f"the pieces say {text!r}, the whole {whole!r}"
    thoughts = [item for item in response.output if item.type == "reasoning"]
    incomplete = response.incomplete_details
    answer = {
        "text": response.output_text or "".join(refusals(response)),
        "reasoning": "".join(summary.text for item in thoughts for summary in item.summary),
        "calls": [
            {"id": item.call_id, "name": item.name, "arguments": json.loads(item.arguments)}
            for item in response.output
            if item.type == "function_call"
        ],
        "stop": incomplete.reason if incomplete else response.status,
        "usage": [
            response.usage.input_tokens,
            response.usage.output_tokens,
            response.usage.input_tokens_details.cached_tokens,
        ],
    }
    return answer, response.output


def refusals(response):
    for item in response.output:
        if item.type == "message":
            yield from (part.refusal for part in item.content if part.type == "refusal")


EVENTS = {
    typing.get_args(kind.model_fields["type"].annotation)[0]: kind
    for kind in typing.get_args(typing.get_args(ResponseStreamEvent)[0])
}


def judged(kind, value):
    if kind == "request":
        streaming = value.get("stream")
        yield (ResponseCreateParamsStreaming if streaming else ResponseCreateParamsNonStreaming), value, ""
    elif kind == "answer":
        yield Response, value, ""
    else:
        yield EVENTS[value["type"]], value, ""

"""Anthropic Messages with `anthropic`."""

import json
import typing

from anthropic import Anthropic
from anthropic.types import Message, RawMessageStreamEvent
from anthropic.types.message_create_params import (
    MessageCreateParamsNonStreaming,
    MessageCreateParamsStreaming,
)


def client(base, key):
    return Anthropic(base_url=base, api_key=key, max_retries=0, timeout=30, _strict_response_validation=True)


def part(block):
    if "text" in block:
        return {"type": "text", "text": block["text"]}
    return {"type": "image", "source": {"type": "base64", "media_type": block["mime"], "data": block["data"]}}


def result(call, result):
    block = {"type": "tool_result", "tool_use_id": call["id"]}
    if "error" in result:
        return {**block, "content": result["error"], "is_error": True}
    if "image" in result:
        return {**block, "content": [part({"text": result["text"]}), part(result["image"])]}
    return {**block, "content": result.get("text") or json.dumps(result["value"])}


def messages(turns):
    for kind, turn in turns:
        if kind == "user":
            yield {"role": "user", "content": turn[0]["text"] if len(turn) == 1 else [part(block) for block in turn]}
        elif kind == "turn":
            yield {"role": "assistant", "content": turn}
        elif kind == "results":
            yield {"role": "user", "content": [result(*one) for one in turn]}


def request(plan, turns, choice):
    tools = [
        {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
        for tool in plan["tools"]
    ]
    sent = {"model": plan["model"], "max_tokens": 32000, "messages": list(messages(turns)), "tools": tools}
    system = [turn for kind, turn in turns if kind == "system"]
    if system:
        sent["system"] = system[0]
    if choice == "none":
        sent["tool_choice"] = {"type": "none"}
    elif isinstance(choice, dict):
        sent["tool_choice"] = {"type": "tool", "name": choice["tool"], "disable_parallel_tool_use": True}
    elif choice is not None:
        kind = {"auto": "auto", "required": "any"}[choice]
        sent["tool_choice"] = {"type": kind, "disable_parallel_tool_use": True}
    return sent


def ask(client, plan, turns, streaming, choice):
    sent = request(plan, turns, choice)
    if not streaming:
        message = client.messages.create(**sent)
    else:
        with client.messages.stream(**sent) as stream:
            message = stream.get_final_message()
    of = lambda kind: [block for block in message.content if block.type == kind]
    usage = message.usage
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    answer = {
        "text": "".join(block.text for block in of("text")),
        "reasoning": "".join(block.thinking for block in of("thinking")),
        "calls": [{"id": block.id, "name": block.name, "arguments": block.input} for block in of("tool_use")],
        "stop": message.stop_reason,
        # Those from a cache stand beside the others here.
        "usage": [usage.input_tokens + cached, usage.output_tokens, usage.cache_read_input_tokens or 0],
    }
    return answer, message.content


EVENTS = {
    typing.get_args(kind.model_fields["type"].annotation)[0]: kind
    for kind in typing.get_args(typing.get_args(RawMessageStreamEvent)[0])
}


def judged(kind, value):
    if kind == "request":
        streaming = value.get("stream")
        yield (MessageCreateParamsStreaming if streaming else MessageCreateParamsNonStreaming), value, ""
    elif kind == "answer":
        yield Message, value, ""
    elif value["type"] != "ping":
        # The SDK drops pings before it reads events.
        yield EVENTS[value["type"]], value, ""

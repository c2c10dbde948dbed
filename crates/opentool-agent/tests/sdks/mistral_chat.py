"""Mistral chat with `mistralai`."""

import json

from mistralai.client import Mistral
from mistralai.client import models


def client(base, key):
    return Mistral(api_key=key, server_url=base, timeout_ms=30_000)


def part(block):
    if "text" in block:
        return {"type": "text", "text": block["text"]}
    return {"type": "image_url", "image_url": f"data:{block['mime']};base64,{block['data']}"}


def content(result):
    if "image" in result:
        return [part({"text": result["text"]}), part(result["image"])]
    return result.get("error") or result.get("text") or json.dumps(result["value"])


def messages(turns):
    for kind, turn in turns:
        if kind == "system":
            yield {"role": "system", "content": turn}
        elif kind == "user":
            yield {"role": "user", "content": turn[0]["text"] if len(turn) == 1 else [part(block) for block in turn]}
        elif kind == "turn":
            yield turn
        else:
            for call, result in turn:
                yield {"role": "tool", "tool_call_id": call["id"], "name": call["name"], "content": content(result)}


def request(plan, turns, choice):
    tools = [{"type": "function", "function": tool} for tool in plan["tools"]]
    sent = {"model": plan["model"], "messages": list(messages(turns)), "tools": tools}
    if choice is not None:
        sent["parallel_tool_calls"] = False
        if isinstance(choice, dict):
            sent["tool_choice"] = {"type": "function", "function": {"name": choice["tool"]}}
        elif choice != "auto":
            sent["tool_choice"] = {"required": "any"}.get(choice, choice)
    return sent


def ask(client, plan, turns, streaming, choice):
    sent = request(plan, turns, choice)
    if not streaming:
        response = client.chat.complete(**sent)
        message, stop, usage = response.choices[0].message, response.choices[0].finish_reason, response.usage
    else:
        message, stop, usage = joined(client.chat.stream(**sent))
    said = message.content or ""
    parts = [models.TextChunk(text=said)] if isinstance(said, str) else said
    thoughts = [text.text for part in parts if part.type == "thinking" for text in part.thinking]
    answer = {
        "text": "".join(part.text for part in parts if part.type == "text"),
        "reasoning": "".join(thoughts),
        "calls": [
            {"id": call.id, "name": call.function.name, "arguments": json.loads(call.function.arguments)}
            for call in message.tool_calls or []
        ],
        "stop": stop,
        "usage": [usage.prompt_tokens, usage.completion_tokens, 0],
    }
    return answer, message


def joined(stream):
    """The SDK leaves it to its users to put the pieces of a stream together."""
    content, calls, stop, usage = [], [], None, None
    for event in stream:
        usage = event.data.usage or usage
        for choice in event.data.choices:
            delta = choice.delta
            stop = choice.finish_reason or stop
            calls += delta.tool_calls or []
            pieces = delta.content or []
            for piece in [models.TextChunk(text=pieces)] if isinstance(pieces, str) else pieces:
                last = content[-1] if content else None
                if last is not None and last.type == piece.type == "text":
                    last.text += piece.text
                elif last is not None and last.type == piece.type == "thinking":
                    last.thinking[-1].text += "".join(text.text for text in piece.thinking)
                    last.signature = piece.signature or last.signature
                else:
                    content.append(piece)
    only_text = all(piece.type == "text" for piece in content)
    said = "".join(piece.text for piece in content) if only_text else content
    return models.AssistantMessage(content=said, tool_calls=calls or None), stop, usage


def judged(kind, value):
    if kind == "request":
        kinds = models.ChatCompletionStreamRequest, models.ChatCompletionRequest
        yield kinds[0] if value.get("stream") else kinds[1], value, ""
    else:
        yield (models.ChatCompletionResponse if kind == "answer" else models.CompletionChunk), value, ""

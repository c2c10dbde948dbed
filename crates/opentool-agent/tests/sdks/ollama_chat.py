"""Ollama's `/api/chat` with `ollama`."""

import base64
import json

from ollama import ChatResponse, Client, Message, Tool
from ollama._types import ChatRequest


def client(base, key):
    return Client(host=base, headers={"Authorization": f"Bearer {key}"}, timeout=30)


def messages(turns):
    for kind, turn in turns:
        if kind == "system":
            yield {"role": "system", "content": turn}
        elif kind == "user":
            text = "\n".join(block["text"] for block in turn if "text" in block)
            images = [base64.b64decode(block["data"]) for block in turn if "data" in block]
            yield {"role": "user", "content": text, "images": images}
        elif kind == "turn":
            yield turn
        else:
            for call, result in turn:
                said = result.get("error") or result.get("text") or json.dumps(result["value"])
                message = {"role": "tool", "tool_name": call["name"], "content": said}
                if "image" in result:
                    message["images"] = [base64.b64decode(result["image"]["data"])]
                yield message


def ask(client, plan, turns, streaming, choice):
    tools = [{"type": "function", "function": tool} for tool in plan["tools"]]
    answer = client.chat(
        plan["model"], list(messages(turns)), tools=None if choice == "none" else tools, stream=streaming
    )
    text, thinking, calls = "", "", []
    for last in answer if streaming else [answer]:
        text += last.message.content or ""
        thinking += last.message.thinking or ""
        calls += last.message.tool_calls or []
    said = {
        "text": text,
        "reasoning": thinking,
        "calls": [
            {"id": None, "name": call.function.name, "arguments": dict(call.function.arguments)} for call in calls
        ],
        "stop": last.done_reason,
        "usage": [last.prompt_eval_count, last.eval_count, 0],
    }
    message = Message(role="assistant", content=text, thinking=thinking or None, tool_calls=calls or None)
    return said, message


def judged(kind, value):
    if kind != "request":
        yield ChatResponse, value, ""
        return
    yield ChatRequest, {**value, "messages": [], "tools": []}, ""
    for number, message in enumerate(value["messages"]):
        # Its type of an image is for paths and bytes, and what is sent is text.
        yield Message, {key: member for key, member in message.items() if key != "images"}, f"/messages/{number}"
    for number, tool in enumerate(value.get("tools", [])):
        yield Tool, tool, f"/tools/{number}"

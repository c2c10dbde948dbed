"""Chat Completions with `openai`."""

import json

from openai import LengthFinishReasonError, OpenAI
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionAssistantMessageParam,
    ChatCompletionChunk,
    ChatCompletionSystemMessageParam,
    ChatCompletionToolMessageParam,
    ChatCompletionUserMessageParam,
)
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)


def client(base, key):
    # Nothing is passed over that the SDK's types do not allow.
    return OpenAI(base_url=base, api_key=key, max_retries=0, timeout=30, _strict_response_validation=True)


def part(block):
    if "text" in block:
        return {"type": "text", "text": block["text"]}
    return {"type": "image_url", "image_url": {"url": f"data:{block['mime']};base64,{block['data']}"}}


def said(result):
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
                yield {"role": "tool", "tool_call_id": call["id"], "content": said(result)}
            images = [part(result["image"]) for _, result in turn if "image" in result]
            if images:
                yield {"role": "user", "content": images}


def request(plan, turns, choice):
    sent = {"model": plan["model"], "messages": list(messages(turns)), "tools": [
        {"type": "function", "function": tool} for tool in plan["tools"]
    ]}
    if choice is not None:
        sent["parallel_tool_calls"] = False
        if isinstance(choice, dict):
            sent["tool_choice"] = {"type": "function", "function": {"name": choice["tool"]}}
        elif choice != "auto":
            sent["tool_choice"] = choice
    return sent


def ask(client, plan, turns, streaming, choice):
    sent = request(plan, turns, choice)
    if not streaming:
        completion = client.chat.completions.create(**sent)
        turn = completion.choices[0].message
    else:
        try:
            with client.chat.completions.stream(**sent, stream_options={"include_usage": True}) as stream:
                completion = stream.get_final_completion()
        except LengthFinishReasonError as cut_off:
            completion = cut_off.completion
        # The class for streams has members of its own, which are no part of the format and empty here.
        turn = completion.choices[0].message.model_dump(exclude_none=True)
    message = completion.choices[0].message
    usage = completion.usage
    details = usage.prompt_tokens_details
    answer = {
        "text": message.content or message.refusal or "",
        "reasoning": getattr(message, "reasoning_content", None) or "",
        "calls": [
            {"id": call.id, "name": call.function.name, "arguments": json.loads(call.function.arguments)}
            for call in message.tool_calls or []
        ],
        "stop": completion.choices[0].finish_reason,
        "usage": [usage.prompt_tokens, usage.completion_tokens, details.cached_tokens if details else 0],
    }
    return answer, turn


ROLES = {
    "system": ChatCompletionSystemMessageParam,
    "user": ChatCompletionUserMessageParam,
    "assistant": ChatCompletionAssistantMessageParam,
    "tool": ChatCompletionToolMessageParam,
}


def judged(kind, value):
    if kind == "request":
        streaming = value.get("stream")
        kind = CompletionCreateParamsStreaming if streaming else CompletionCreateParamsNonStreaming
        yield kind, {**value, "messages": []}, ""
        for number, message in enumerate(value["messages"]):
            yield ROLES[message["role"]], message, f"/messages/{number}"
    else:
        yield (ChatCompletion if kind == "answer" else ChatCompletionChunk), value, ""

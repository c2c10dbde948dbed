"""Gemini `generateContent` with `google-genai`."""

import base64

from google import genai
from google.genai import types


def client(base, key):
    return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=base))


def part(block):
    if "text" in block:
        return types.Part.from_text(text=block["text"])
    return types.Part.from_bytes(data=base64.b64decode(block["data"]), mime_type=block["mime"])


def response(call, result):
    if "error" in result:
        said = {"error": result["error"]}
    else:
        said = {"output": result["text"] if "text" in result else result["value"]}
    parts = None
    if "image" in result:
        image = result["image"]
        blob = types.FunctionResponseBlob(mime_type=image["mime"], data=base64.b64decode(image["data"]))
        parts = [types.FunctionResponsePart(inline_data=blob)]
    answer = types.FunctionResponse(id=call["id"], name=call["name"], response=said, parts=parts)
    return types.Part(function_response=answer)


def contents(turns):
    for kind, turn in turns:
        if kind == "user":
            yield types.Content(role="user", parts=[part(block) for block in turn])
        elif kind == "turn":
            yield turn
        elif kind == "results":
            yield types.Content(role="user", parts=[response(*one) for one in turn])


def config(plan, turns, choice):
    declarations = [
        types.FunctionDeclaration(
            name=tool["name"], description=tool["description"], parameters_json_schema=tool["parameters"]
        )
        for tool in plan["tools"]
    ]
    mode = None
    if isinstance(choice, dict):
        mode = types.FunctionCallingConfig(mode="ANY", allowed_function_names=[choice["tool"]])
    elif choice not in (None, "auto"):
        mode = types.FunctionCallingConfig(mode={"required": "ANY", "none": "NONE"}[choice])
    return types.GenerateContentConfig(
        system_instruction=next((turn for kind, turn in turns if kind == "system"), None),
        tools=[types.Tool(function_declarations=declarations)],
        tool_config=types.ToolConfig(function_calling_config=mode) if mode else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )


def ask(client, plan, turns, streaming, choice):
    sent = {"model": plan["model"], "contents": list(contents(turns)), "config": config(plan, turns, choice)}
    if streaming:
        answers = list(client.models.generate_content_stream(**sent))
    else:
        answers = [client.models.generate_content(**sent)]
    parts, stop, usage = [], None, None
    for one in answers:
        candidate = one.candidates[0] if one.candidates else None
        if candidate:
            parts += (candidate.content and candidate.content.parts) or []
            stop = candidate.finish_reason or stop
        elif one.prompt_feedback:
            stop = one.prompt_feedback.block_reason
        usage = one.usage_metadata or usage
    calls = [part.function_call for part in parts if part.function_call]
    answer = {
        "text": "".join(part.text for part in parts if part.text and not part.thought),
        "reasoning": "".join(part.text for part in parts if part.text and part.thought),
        "calls": [{"id": call.id, "name": call.name, "arguments": call.args} for call in calls],
        "stop": stop.value,
        "usage": [usage.prompt_token_count, usage.candidates_token_count, usage.cached_content_token_count or 0],
    }
    return answer, types.Content(role="model", parts=parts)


def judged(kind, value):
    if kind != "request":
        yield types.GenerateContentResponse, value, ""
        return
    # The SDK has types for the parts of a request, and none for the whole.
    known = {"contents": types.Content, "tools": types.Tool, "toolConfig": types.ToolConfig}
    known |= {"systemInstruction": types.Content, "generationConfig": types.GenerationConfig}
    for key, member in value.items():
        for number, one in enumerate(member if isinstance(member, list) else [member]):
            yield known[key], one, f"/{key}/{number}" if isinstance(member, list) else f"/{key}"

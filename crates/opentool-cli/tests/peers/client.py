"""The Python MCP SDK as a client of `opentool serve`: lists, calls, makes mistakes, prints what it saw.

Usage: client.py '{"url": "http://127.0.0.1:1/mcp"} or {"command": ["opentool", ..]}' [auto|legacy]
"""

import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters


def text(result):
    return "".join(block.text for block in result.content if block.type == "text")


async def main(target, mode):
    if "url" in target:
        server = target["url"]
    else:
        command, *arguments = target["command"]
        server = StdioServerParameters(command=command, args=arguments)
    seen = {}
    async with Client(server, mode=mode) as client:
        seen["protocol"] = client.protocol_version
        tools, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        seen["tools"] = {tool.name: tool.input_schema for tool in tools}
        pending = await client.call_tool("findPetsByStatus", {"status": ["pending"]})
        seen["pending"] = {"error": pending.is_error, "text": text(pending), "structured": pending.structured_content}
        pet = await client.call_tool("getPetById", {"petId": 2})
        seen["pet"] = {"error": pet.is_error, "text": text(pet), "structured": pet.structured_content}
        wrong = await client.call_tool("getPetById", {"petId": "two"})
        seen["wrong"] = {"error": wrong.is_error, "text": text(wrong)}
        missing = await client.call_tool("getPetById", {"petId": 4711})
        seen["missing"] = {"error": missing.is_error, "text": text(missing)}
        try:
            unknown = await client.call_tool("getPetsById", {})
            seen["unknown"] = {"error": unknown.is_error, "text": text(unknown)}
        except MCPError as error:
            seen["unknown"] = {"code": error.error.code, "text": error.error.message}
    print(json.dumps(seen))


asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "auto"))

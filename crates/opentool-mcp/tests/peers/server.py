"""A server of the Python MCP SDK, for the client of opentool.

Usage: server.py stdio, or server.py http PORT. Over HTTP it says on standard error when it listens.
"""

import os
import sys

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("peer")


@server.tool(title="Adder")
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def fail(why: str) -> str:
    """Fails."""
    raise ToolError(why)  # the words of other exceptions stay with the server


@server.tool()
async def count(to: int, ctx: Context) -> str:
    """Counts, and tells how far it is."""
    for i in range(1, to + 1):
        await ctx.report_progress(i, to, f"at {i}")
    return "done"


@server.tool()
def variables() -> list[str]:
    """The names of its variables."""
    return sorted(os.environ)


if sys.argv[1] == "stdio":
    print("a server that speaks on standard error", file=sys.stderr)
    server.run("stdio")
else:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))

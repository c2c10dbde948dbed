"""Imports one OpenAPI document with FastMCP and prints what that cost, as JSON.

The library is loaded before the clock starts. A document that takes more than a bounded time or memory is given up.
"""

import asyncio
import json
import logging
import resource
import sys
import time

CPU_SECONDS = 60
BYTES = 6 * 1024**3

resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
logging.disable(logging.CRITICAL)

import yaml  # noqa: E402
from fastmcp import FastMCP  # noqa: E402


def main(path):
    with open(path, "rb") as file:
        text = file.read()
    begun = time.process_time()
    if path.endswith(".json"):
        document = json.loads(text)
    else:
        document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    server = FastMCP.from_openapi(openapi_spec=document, name="peer")
    tools = asyncio.run(server.list_tools())
    cpu = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    schemas = sum(
        len(json.dumps(schema, ensure_ascii=False, separators=(",", ":")))
        for tool in tools
        for schema in (tool.parameters, tool.output_schema)
        if schema
    )
    return {"tools": len(tools), "cpu": cpu, "memory": memory, "schema bytes": schemas}


try:
    print(json.dumps(main(sys.argv[1])))
except MemoryError:
    print(json.dumps({"failure": "more than 6 GiB of memory"}))
except Exception as error:
    lines = str(error).strip().splitlines() or [""]
    print(json.dumps({"failure": f"{type(error).__name__}: {lines[0]}"[:200]}))

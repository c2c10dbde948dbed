// The TypeScript MCP SDK of the 1.x line, as most hosts still ship it, as a client of `opentool serve`.
//
// Usage: node legacy.mjs NODE_MODULES_HOME '{"url": ..} or {"command": [..]}'
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [home, target] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${home}/package.json`));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

const { url, command } = JSON.parse(target);
const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command: command[0], args: command.slice(1) });
const client = new Client({ name: 'legacy peer', version: '1' });
await client.connect(transport);

const text = (result) => result.content.filter((b) => b.type === 'text').map((b) => b.text).join('');
const seen = { protocol: transport.protocolVersion ?? 'stdio', tools: {} };
let cursor;
do {
    const page = await client.listTools({ cursor });
    for (const tool of page.tools) seen.tools[tool.name] = tool.inputSchema;
    cursor = page.nextCursor;
} while (cursor !== undefined);

async function call(name, args) {
    const result = await client.callTool({ name, arguments: args });
    return { error: result.isError ?? false, text: text(result), structured: result.structuredContent };
}
seen.pending = await call('findPetsByStatus', { status: ['pending'] });
seen.pet = await call('getPetById', { petId: 2 });
seen.wrong = await call('getPetById', { petId: 'two' });
seen.missing = await call('getPetById', { petId: 4711 });
try {
    seen.unknown = await call('getPetsById', {});
} catch (error) {
    seen.unknown = { code: error.code, text: error.message };
}
await client.close();
console.log(JSON.stringify(seen));

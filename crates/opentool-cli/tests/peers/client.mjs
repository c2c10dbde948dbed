// The TypeScript MCP SDK (2.x) as a client of `opentool serve`: lists, calls, makes mistakes, prints what it saw.
//
// Usage: node client.mjs NODE_MODULES_HOME '{"url": ..} or {"command": [..]}' [auto|legacy]
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [home, target, mode = 'auto'] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${home}/package.json`));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');

const { url, command } = JSON.parse(target);
const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command: command[0], args: command.slice(1) });
const client = new Client({ name: 'peer', version: '1' }, { versionNegotiation: { mode } });
await client.connect(transport);

const text = (result) => result.content.filter((b) => b.type === 'text').map((b) => b.text).join('');
const seen = { protocol: client.getNegotiatedProtocolVersion(), tools: {} };
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

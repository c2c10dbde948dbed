// The TypeScript MCP SDK (2.x) as a client of `opentool serve`.
//
// Usage: node client.mjs NODE_MODULES_HOME '{"url": ..} or {"command": [..]}' [auto|legacy]
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { converse, transport } from './conversation.mjs';

const [home, target, mode = 'auto'] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${home}/package.json`));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');

const link = transport(target, StreamableHTTPClientTransport, StdioClientTransport);
const client = new Client({ name: 'peer', version: '1' }, { versionNegotiation: { mode } });
await converse(client, link, () => client.getNegotiatedProtocolVersion());

// The TypeScript MCP SDK of the 1.x line, as most hosts still ship it, as a client of `opentool serve`.
//
// Usage: node legacy.mjs NODE_MODULES_HOME '{"url": ..} or {"command": [..]}'
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { converse, transport } from './conversation.mjs';

const [home, target] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${home}/package.json`));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

const link = transport(target, StreamableHTTPClientTransport, StdioClientTransport);
const client = new Client({ name: 'legacy peer', version: '1' });
await converse(client, link, () => link.protocolVersion ?? 'stdio');

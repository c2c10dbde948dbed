// What every client from the TypeScript SDKs does: connects, lists, calls, makes mistakes, prints what it saw.

// The transport that TARGET asks for, `{"url": ..}` or `{"command": [..]}`.
export function transport(target, Http, Stdio) {
    const { url, command } = JSON.parse(target);
    return url ? new Http(new URL(url)) : new Stdio({ command: command[0], args: command.slice(1) });
}

// Goes through all of it. `protocol` is asked once the client is connected.
export async function converse(client, transport, protocol) {
    await client.connect(transport);
    const seen = { protocol: protocol(), tools: {} };
    let cursor;
    do {
        const page = await client.listTools({ cursor });
        for (const tool of page.tools) seen.tools[tool.name] = tool.inputSchema;
        cursor = page.nextCursor;
    } while (cursor !== undefined);

    const text = (result) => result.content.filter((b) => b.type === 'text').map((b) => b.text).join('');
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
}

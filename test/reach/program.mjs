/**
 * The program whose packagings are tried: a host that does what hosts do, in twelve steps. It gets its servers as JSON in `REACH`, says a
 * line on stdout for each step, and has to end by itself.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { oauth } from '@mcp-fittings/auth-oauth';
import { createServerApprovals, layouts, loadConfig } from '@mcp-fittings/config';
import { createHost } from '@mcp-fittings/host';
import { keychainStore } from '@mcp-fittings/store-keychain';
import { memoryStore } from '@mcp-fittings/store-file';
import { anthropicTools, createTools } from '@mcp-fittings/tools';
import { http } from '@mcp-fittings/transport-http';
import { sharedStdio } from '@mcp-fittings/transport-shared';
import { runSharedProcess } from '@mcp-fittings/transport-shared/server';
import { sse } from '@mcp-fittings/transport-sse';
import { stdio } from '@mcp-fittings/transport-stdio';
import { ws } from '@mcp-fittings/transport-ws';
import * as keytar from './keytar.mjs';
import { scriptedPerson } from './scripted-person.js';

const SHARED_PROCESS = '--shared-process';
const at = process.argv.indexOf(SHARED_PROCESS);
if (at > 0) void runSharedProcess({ folder: process.argv[at + 1], idleMs: 1000 });
else void main();

async function main() {
  const { servers, folder, packaged, module, isolation } = JSON.parse(process.env['REACH']);
  const open = [];
  const connect = async (entry, options = {}) => {
    const host = createHost({ name: 'reach', version: '1.0.0', ...options });
    open.push(host);
    await host.connect({ server: entry });
    return host;
  };
  const usable = async (entry, options) => {
    const host = await connect(entry, options);
    const { state } = host.server('server');
    if (state.status === 'failed') throw state.error;
    await echoes(host);
    return host;
  };

  await step('stdio', () => usable(servers.stdio, { transports: [stdio()] }));
  await step('http', () => usable(servers.http, { transports: [http()] }));
  await step('proxy', () => usable(servers.proxied, { transports: [http()] }));
  await step('sse', () => usable(servers.sse, { transports: [sse()] }));
  await step('ws', () => usable(servers.ws, { transports: [ws()] }));
  await step('sign-in', async () => {
    const auth = [oauth({ clientName: 'reach', store: memoryStore(), interaction: scriptedPerson() })];
    const host = await connect(servers.guarded, { transports: [http()], auth });
    await host.signIn('server');
    await host.callTool({ server: 'server', tool: 'time' });
  });
  await step('slow check', async () => {
    const host = await connect(servers.ws, { transports: [ws()] });
    const turn = createTools(host, { defaultPermission: 'allow' }).snapshot();
    const sent = await turn.run('mcp__server__mail', { to: 'ann@example.com' });
    assert.equal(sent.type, 'result', JSON.stringify(sent.error?.message));
    const refused = await turn.run('mcp__server__mail', { to: 'not an address' });
    assert.equal(refused.error?.code, 'ARGUMENTS_INVALID', JSON.stringify(refused));
  });
  await step('shared', () => {
    // A program that is one file is its own shared process; elsewhere the package finds it.
    const start = { command: process.execPath, args: [process.argv[1], SHARED_PROCESS, folder] };
    const options = { folder, idleMs: 1000, ...(packaged && { start }) };
    return usable(servers.stdio, { transports: [sharedStdio(options)] });
  });
  await step('configuration', async () => {
    await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { project: servers.stdio } }));
    const approvals = createServerApprovals({ approve: async () => 'once' });
    const loaded = await loadConfig({ layout: layouts.mcpJson, cwd: folder, home: folder, approvals });
    await usable(loaded.servers['project'], { transports: [stdio()] });
  });
  await step('keychain', async () => {
    const options = { lockDirectory: join(folder, 'locks'), isolation };
    // A single executable imports no file.
    const driver = isolation === 'in-process' ? keytar : { module };
    const store = keychainStore({ ...options, service: 'reach', driver });
    open.push(store);
    await store.set('key', { value: 'kept' });
    assert.deepEqual(await store.get('key'), { value: 'kept' });
    // The native module is loaded, and finds no service on the bus of this run.
    const native = keychainStore({ ...options, service: 'reach-native' });
    open.push(native);
    const { state, error } = await native.status();
    assert.equal(state, 'unavailable', String(error?.message));
    assert.doesNotMatch(String(error?.message), /not load|helper/, String(error?.message));
  });
  await step('tools', async () => {
    const host = await connect(servers.stdio, { transports: [stdio()] });
    const turn = createTools(host, { defaultPermission: 'allow' }).snapshot();
    assert.ok(anthropicTools(turn.tools).some(({ name }) => name === 'mcp__server__echo'));
    const { type, rendering } = await turn.run('mcp__server__echo', { message: 'hi' });
    assert.equal(type, 'result');
    assert.match(JSON.stringify(rendering), /Echo: hi/);
  });
  await step('end', () => Promise.all(open.map((each) => each.close())));
}

async function echoes(host) {
  const { content } = await host.callTool({ server: 'server', tool: 'echo' }, { message: 'hi' });
  assert.equal(content[0].text, 'Echo: hi');
}

async function step(name, run) {
  const started = performance.now();
  try {
    await run();
    console.log(`works ${name} (${Math.round(performance.now() - started)} ms)`);
  } catch (error) {
    const { code = '', message = '', hint = '', cause } = error ?? {};
    const text = [code, message, hint, cause?.message].filter(Boolean).join(' | ');
    console.log(`fails ${name}: ${(text || String(error)).replaceAll('\n', ' ').slice(0, 500)}`);
  }
}

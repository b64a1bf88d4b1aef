import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { FittingsError } from '@mcp-fittings/client-core';
import { memoryStore } from '@mcp-fittings/store-file';
import { openHost, type OpenHostOptions } from '@mcp-fittings/preset';
import { everything, openWorkspace, type Workspace } from './support/workspace.js';

const me = { name: 'my-agent', version: '1.0.0' };
const SECRET = 'sk-of-the-user';
const inputs = [{ type: 'promptString', id: 'key', description: 'Your key', password: true }];
const asking = { ...everything, env: { KEY: '${input:key}' } };

/** Opens the host of a workspace with these servers of the user, and notes what is asked. */
async function open(
  workspace: Workspace,
  servers: object,
  answer: string | undefined,
  more: Partial<OpenHostOptions>,
) {
  await workspace.writeOwn(servers, { inputs });
  const asked: string[] = [];
  const app = await openHost({
    ...me,
    ...workspace.at,
    askInput: async ({ server, id }) => {
      asked.push(`${server} ${id}`);
      return answer;
    },
    ...more,
  });
  return { app, asked, [Symbol.asyncDispose]: () => app.close() };
}

it('a value is asked for once, and kept in the store until the user signs out', async () => {
  await using workspace = await openWorkspace();
  const store = memoryStore();
  {
    await using first = await open(workspace, { asking }, SECRET, { store });
    expect(first.app.problems).toEqual([]);
    expect(first.asked).toEqual(['asking key']);
    const { content } = await first.app.host.callTool({ server: 'asking', tool: 'get-env' });
    expect(JSON.stringify(content)).toContain(SECRET);
  }
  {
    await using second = await open(workspace, { asking }, undefined, { store });
    expect(second.app.problems).toEqual([]);
    expect(second.asked).toEqual([]);
    await second.app.signOut('asking');
    expect(second.app.host.servers()).toMatchObject([{ state: { status: 'disconnected' } }]);
    await expect(second.app.signOut('unknown')).rejects.toMatchObject({ code: 'SERVER_UNKNOWN' });
  }
  await using third = await open(workspace, { asking }, SECRET, { store });
  expect(third.asked).toEqual(['asking key']);
  for (const entry of await readdir(workspace.at.home, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      expect(await readFile(`${entry.parentPath}/${entry.name}`, 'utf8')).not.toContain(SECRET);
});

it('a value belongs to its entry, so that one that has changed does not receive it', async () => {
  await using workspace = await openWorkspace();
  const store = memoryStore();
  const asked: unknown[] = [];
  for (const env of [asking.env, { ...asking.env, URL: 'https://x.example' }, asking.env]) {
    await using opened = await open(workspace, { asking: { ...asking, env } }, SECRET, { store });
    asked.push(opened.asked);
  }
  expect(asked).toEqual([['asking key'], ['asking key'], []]);
});

it('a server without its value is a problem, and others start', async () => {
  await using workspace = await openWorkspace();
  for (const more of [{}, { askInput: undefined }]) {
    await using opened = await open(workspace, { asking, everything }, undefined, more);
    expect(opened.app.host.servers()).toMatchObject([{ name: 'everything', state: { status: 'connected' } }]);
    expect(opened.app.problems).toMatchObject([
      {
        code: 'VARIABLE_MISSING',
        severity: 'error',
        server: 'asking',
        text: expect.stringContaining('"key"'),
      },
    ]);
  }
});

it('a value that is refused is not asked for again when the files are read again', async () => {
  await using workspace = await openWorkspace();
  await using opened = await open(workspace, { asking }, undefined, { follow: true });
  await workspace.writeOwn({ asking, everything }, { inputs });
  await expect.poll(() => opened.app.host.servers().length).toBe(1);
  expect(opened.asked).toEqual(['asking key']);
});

it('a store that cannot be read is the reason in the problem', async () => {
  await using workspace = await openWorkspace();
  const error = new FittingsError('STORE_UNAVAILABLE', 'The keychain is locked.');
  const broken = { ...memoryStore(), get: () => Promise.reject(error) };
  await using opened = await open(workspace, { asking }, SECRET, { store: broken });
  expect(opened.asked).toEqual([]);
  expect(opened.app.problems).toMatchObject([{ text: expect.stringContaining('The keychain is locked') }]);
  expect(opened.app.problems[0]?.text).toContain('fittings login asking --store file');
});

it('an answer that is not a string is the reason in the problem', async () => {
  await using workspace = await openWorkspace();
  // @ts-expect-error -- programs without types answer like this
  await using opened = await open(workspace, { asking }, 5, {});
  expect(opened.app.problems).toMatchObject([
    { text: expect.stringContaining('has no value (`askInput` answered a number, not a string)') },
  ]);
});

it('a value does not appear in what a server writes before it exits', async () => {
  await using workspace = await openWorkspace();
  const program = 'console.error("bad key", process.argv[1]); process.exit(1)';
  const failing = {
    command: process.execPath,
    args: ['-e', program, '${input:key}'],
    reconnect: { maxAttempts: 0 },
  };
  await using opened = await open(workspace, { failing }, SECRET, {});
  expect(opened.app.problems).toMatchObject([{ text: expect.stringContaining('bad key [redacted]') }]);
});

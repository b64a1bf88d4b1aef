import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codesOf, diagnoseEntry } from './support/diagnose-server.js';
import { only, openWorkspace } from './support/workspace.js';

const script = join(import.meta.dirname, '../../host/test/support/failing-lists.mjs');
const server = (mood: string) => ({
  command: process.execPath,
  args: [script, mood],
  reconnect: { maxAttempts: 0 },
});

it.each([
  ['always', 'failed', 'tools'],
  ['prompts', 'connected', 'prompts'],
])('with the mood "%s", status and list end with an error and name the list', async (mood, status, list) => {
  await using workspace = await openWorkspace({ here: true });
  const servers = ['--store', 'memory', ...only({ broken: server(mood) })];
  const text = await workspace.fittings(['status', ...servers]);
  expect(text.stdout).toContain(`could not list its ${list}`);
  expect(text.code).toBe(1);
  const { value, code } = await workspace.json(['status', ...servers]);
  expect(value).toMatchObject({ servers: [{ name: 'broken', status, error: { code: 'RPC_ERROR' } }] });
  expect(code).toBe(1);
  const listed = await workspace.fittings(['list', list, ...servers]);
  expect(listed.stderr).toContain(`could not list its ${list}`);
  expect(listed.code).not.toBe(0);
  // D11: that there are none is not known.
  expect(listed.stdout).not.toMatch(/There are no/);
});

it.each([
  ['always', 'tools'],
  ['prompts', 'prompts'],
])('with the mood "%s", doctor does not call it healthy', async (mood, list) => {
  const diagnosis = await diagnoseEntry(server(mood));
  expect(diagnosis.healthy).toBe(false);
  expect(codesOf(diagnosis)).toEqual(['handshake LIST_FAILED']);
  expect(diagnosis.findings[0]?.message).toContain(`could not list its ${list}`);
});

import { rename, writeFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { openHost, type HostProblem, type OpenedHost } from '@mcp-fittings/preset';
import { loadServers } from '@mcp-fittings/preset/toolkit';
import { everything, openWorkspace, type Workspace } from './support/workspace.js';

const me = { name: 'my-agent', version: '1.0.0' };
const allowed = { ...everything, allowedTools: ['echo'] };

/** Opens a host that follows its files, and keeps the problems that it tells of. */
async function following({ at }: Workspace): Promise<OpenedHost & { readonly told: readonly HostProblem[] }> {
  const told: HostProblem[] = [];
  const app = await openHost({ ...me, ...at, follow: true, onProblem: (problem) => told.push(problem) });
  return Object.assign(app, { told });
}

const connected = ({ host }: OpenedHost): readonly string[] =>
  host.servers().flatMap(({ name, state }) => (state.status === 'connected' ? [name] : []));

it('files change: servers are added, changed and removed, and a turn of the model keeps its list', async () => {
  await using workspace = await openWorkspace();
  await workspace.writeOwn({ first: allowed });
  await using app = await following(workspace);
  expect(connected(app)).toEqual(['first']);
  const tools = await app.tools();
  const turn = tools.snapshot();

  const file = await workspace.writeOwn({ first: allowed, second: allowed });
  await expect.poll(() => connected(app)).toEqual(['first', 'second']);
  expect(turn.names.nameOf({ server: 'second', tool: 'echo' })).toBeUndefined();
  expect(tools.snapshot().names.nameOf({ server: 'second', tool: 'echo' })).toBe('mcp__second__echo');

  // As editors write: a new file takes the place of the old one. What it denies holds at once, also in a turn that has begun.
  await writeFile(
    `${file}.new`,
    JSON.stringify({ mcpServers: { second: { ...allowed, deniedTools: ['echo'] } } }),
  );
  const both = tools.snapshot();
  await rename(`${file}.new`, file);
  await expect.poll(() => connected(app)).toEqual(['second']);
  expect(await both.run('mcp__second__echo', { message: 'hi' })).toMatchObject({
    error: { code: 'POLICY_DENIED' },
  });
  expect(await both.run('mcp__first__echo', { message: 'hi' })).toMatchObject({ type: 'error' });
  expect(app.told).toEqual([]);
});

it('a file that is half-written keeps the running servers, and is a problem', async () => {
  await using workspace = await openWorkspace();
  const file = await workspace.writeOwn({ first: allowed });
  await using app = await following(workspace);
  const states = vi.fn();
  using _listening = app.host.on('state', states);
  await writeFile(file, '{ "mcpServers": { "first": ');
  await expect.poll(() => app.told).toMatchObject([{ code: 'JSON_SYNTAX', file, severity: 'error' }]);
  expect(app.problems).toMatchObject([{ code: 'JSON_SYNTAX' }]);
  await workspace.writeProject({ theirs: everything });
  await expect.poll(() => app.told.map(({ code }) => code)).toContain('APPROVAL_REQUIRED');
  expect(connected(app)).toEqual(['first']);
  expect(states).not.toHaveBeenCalled();

  await workspace.writeOwn({ first: allowed, second: allowed });
  await expect.poll(() => connected(app)).toEqual(['first', 'second']);
  expect(app.problems).toMatchObject([{ code: 'APPROVAL_REQUIRED' }]);
});

it('a server of the project starts when the user approves it elsewhere, and not before', async () => {
  await using workspace = await openWorkspace();
  await using app = await following(workspace);
  await workspace.writeProject({ theirs: everything });
  await expect.poll(() => app.told).toMatchObject([{ code: 'APPROVAL_REQUIRED', server: 'theirs' }]);
  expect(app.host.servers()).toEqual([]);

  const { approvals, loaded } = await loadServers(workspace.at);
  const [request] = loaded.entries.flatMap(({ approval }) => approval ?? []);
  if (request === undefined) throw new Error('There is no question.');
  await approvals.remember(request, 'always');
  await expect.poll(() => connected(app)).toEqual(['theirs']);
  expect(app.problems).toEqual([]);
});

it('a change that does not connect is a problem, and close() ends the following', async () => {
  await using workspace = await openWorkspace();
  await workspace.writeOwn({ first: allowed });
  const app = await following(workspace);
  await workspace.writeOwn({
    first: allowed,
    wrong: { command: 'no-such-program', reconnect: { maxAttempts: 0 } },
  });
  await expect.poll(() => app.problems).toMatchObject([{ server: 'wrong', severity: 'error' }]);
  expect(connected(app)).toEqual(['first']);
  await app.close();
  expect(app.host.servers().filter(({ state }) => state.status === 'connected')).toEqual([]);
});

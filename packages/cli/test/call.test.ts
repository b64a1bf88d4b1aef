import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { called, type CheckedCalls, ECHO, setUp } from './support/checked-calls.js';

describe('fittings call of a local server', () => {
  // One server for all, one after the other: for each call, the server starts anew.
  let setup: CheckedCalls;
  beforeAll(async () => {
    setup = await setUp();
  });
  afterAll(() => setup[Symbol.asyncDispose]());

  it.each([
    ['echo', ['text=grüße'], { code: 0, stdout: 'grüße\n', stderr: '' }],
    ['echo', ['--args', '{"text":"x","count":2}'], { code: 0, stdout: 'x\n', stderr: '' }],
    ['fail', [], { code: 1, stdout: 'The tool failed: no\n' }],
    ['refuse', [], { code: 1, stdout: '', stderr: expect.stringContaining('Not today.') }],
    ['nothing', [], { code: 0, stdout: '\n', stderr: '' }],
    ['roots', [], { code: 0, stdout: expect.stringContaining('file://') }],
    ['elicit', [], { code: 0, stdout: expect.stringContaining('refused') }],
    ['die', [], { code: 1, stdout: '', stderr: expect.stringContaining('exited with code 3') }],
  ])('prints what %s %j returns, and calls it once', async (tool, options, expected) => {
    const run = await setup.run(['call', `checked/${tool}`, ...options]);
    expect(run).toMatchObject(expected);
    expect(called(run.log)).toEqual([`called ${tool}`]);
  });
});

it.each([
  { before: 'tools/list' },
  { before: 'initialize' },
  { exitAt: 'initialize' },
  { exitAt: 'tools/list' },
])('a server that does %j is not called twice', async (settings) => {
  await using setup = await setUp();
  await setup.behave(settings);
  expect(called((await setup.run(ECHO)).log).length).toBeLessThan(2);
});

it('Ctrl-C cancels the call, ends the server, and says that the call had been sent', async () => {
  await using setup = await setUp({ stderr: 'inherit' }, { here: false });
  const interruptWhen = (text: string): boolean => text.includes('hanging');
  const run = await setup.run(['call', 'checked/hang'], { interruptWhen });
  expect(run).toMatchObject({ code: 130, stdout: '' });
  expect(run.stderr).toContain('The call had already been sent');
  expect(run.log.slice(-2)).toEqual(['called hang', 'notifications/cancelled']);
});

it('a call that takes longer than the time of the entry fails, and is not repeated', async () => {
  await using setup = await setUp({ timeout: 500 });
  const run = await setup.run(['--json', 'call', 'checked/hang']);
  expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: 'TIMEOUT', delivery: 'unknown' } });
  expect(called(run.log)).toHaveLength(1);
});

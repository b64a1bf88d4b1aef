import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isRunning, until } from '../../transport-stdio/test/support/processes.js';
import { startProgram as start, untilHeld, type Program, type ProgramOptions } from './support/program.js';
import { Subscriptions } from '../src/process/subscriptions.js';
import { openSharedFolder, type SharedFolder } from './support/shared-folder.js';

describe('what belongs to which program', () => {
  // One shared process for all tests, in which each test has servers of its own.
  let shared: SharedFolder;
  let test = 0;
  beforeAll(async () => {
    shared = await openSharedFolder();
  });
  afterAll(() => shared[Symbol.asyncDispose]());
  beforeEach(() => {
    test += 1;
  });
  const startProgram = ({ args = [], ...options }: ProgramOptions = {}): Promise<Program> =>
    start(shared, { ...options, args: [`--test=${test}`, ...args] });

  it('ten programs with calls in flight get their own answers', async () => {
    const programs = await Promise.all(Array.from({ length: 10 }, () => startProgram()));
    const calls = programs.flatMap((program, index) =>
      Array.from({ length: 20 }, async (_, call) => {
        const value = `${index}-${call}`;
        expect(await program.call('hold', { value })).toBe(value);
      }),
    );
    const [first] = programs;
    await untilHeld(first as Program, 200);
    expect(await (first as Program).call('release')).toBe('200');
    await Promise.all(calls);
    await Promise.all(programs.map((program) => program.transport.close()));
  });

  it('programs get the answers of a server that returns their numbers as text', async () => {
    const options = { args: ['--text-ids'] };
    await using first = await startProgram(options);
    await using second = await startProgram(options);
    const echoes = [first.call('echo', { value: 'first' }), second.call('echo', { value: 'second' })];
    expect(await Promise.all(echoes)).toEqual(['first', 'second']);
  });

  it('progress reaches the program that asked for it, with its own token', async () => {
    await using first = await startProgram();
    await using second = await startProgram();
    await Promise.all([
      first.call('progress', {}, { progressToken: 7 }),
      second.call('progress', {}, { progressToken: 7 }),
    ]);
    for (const program of [first, second]) {
      expect(program.notifications('notifications/progress')).toMatchObject([
        { params: { progressToken: 7 } },
      ]);
    }
  });

  it.each(['elicitation/create', 'sampling/createMessage'])(
    '%s goes to the program whose call is in flight',
    async (method) => {
      const capabilities = { elicitation: {}, sampling: {} };
      await using first = await startProgram({ capabilities, answer: { who: 'first' } });
      await using second = await startProgram({ capabilities, answer: { who: 'second' } });
      expect(await first.call('pid')).toBe(await second.call('pid'));
      expect(await second.call('ask', { method })).toBe('{"who":"second"}');
      expect(await first.call('ask', { method })).toBe('{"who":"first"}');
      expect(first.asked).toHaveLength(1);
    },
  );

  it('a question that the server withdraws is withdrawn from its program, whose late answer is dropped', async () => {
    const options = { capabilities: { elicitation: {} }, answer: false } as const;
    await using first = await startProgram(options);
    await using second = await startProgram(options);
    const id = await second.call('withdraw', { method: 'elicitation/create' });
    expect(second.asked).toMatchObject([{ id, method: 'elicitation/create' }]);
    expect(second.notifications('notifications/cancelled')).toMatchObject([
      { params: { requestId: id, reason: 'not needed' } },
    ]);
    expect([...first.asked, ...first.notifications('notifications/cancelled')]).toEqual([]);
    await second.transport.send({ jsonrpc: '2.0', id, result: { action: 'decline' } });
    expect(await second.call('answers')).toBe('0');
  });

  it('a question that may be of either of two programs is refused', async () => {
    const capabilities = { elicitation: {} };
    await using first = await startProgram({ capabilities });
    await using second = await startProgram({ capabilities });
    const held = second.call('hold', { value: 'x' });
    await untilHeld(first, 1);
    const answer = await first.call('ask', { method: 'elicitation/create' });
    expect(answer).toContain('cannot be told for which of them');
    expect([...first.asked, ...second.asked]).toEqual([]);
    await first.call('release');
    await held;
  });

  it('list changes reach all programs, resources those that subscribed, logs those of their level', async () => {
    await using first = await startProgram();
    await using second = await startProgram();
    const uri = 'test://a';
    await first.request('resources/subscribe', { uri });
    await second.request('logging/setLevel', { level: 'error' });
    await first.request('logging/setLevel', { level: 'debug' });
    await first.call('announce', { method: 'notifications/resources/updated', params: { uri } });
    await first.call('announce', { method: 'notifications/message', params: { level: 'info', data: 'x' } });
    await first.call('announce', { method: 'notifications/tools/list_changed' });
    await until(() => second.notifications('notifications/tools/list_changed').length > 0);
    expect(first.notifications('notifications/tools/list_changed')).toHaveLength(1);
    expect(first.notifications('notifications/resources/updated')).toHaveLength(1);
    expect(second.notifications('notifications/resources/updated')).toHaveLength(0);
    expect(first.notifications('notifications/message')).toHaveLength(1);
    expect(second.notifications('notifications/message')).toHaveLength(0);
  });

  it('a subscription ends for the server when the last program has ended it', async () => {
    await using first = await startProgram();
    await using second = await startProgram();
    const uri = 'test://a';
    await first.request('resources/subscribe', { uri });
    await second.request('resources/subscribe', { uri });
    await first.request('resources/unsubscribe', { uri });
    expect(await first.call('received')).not.toContain('unsubscribe');
    await second.transport.close();
    let received = '';
    while (!received.includes('unsubscribe')) received = await first.call('received');
  });

  it('a subscription that is cancelled before its answer ends, and the server takes back one whose program leaves then', async () => {
    await using first = await startProgram();
    await using second = await startProgram();
    const uri = 'test://unanswered';
    const requestId = 'never';
    const cancelled = first.transport.send({
      jsonrpc: '2.0',
      id: requestId,
      method: 'resources/subscribe',
      params: { uri },
    });
    await first.notify('notifications/cancelled', { requestId });
    await cancelled;
    await second.request('resources/subscribe', { uri: 'test://a' });
    await first.call('announce', { method: 'notifications/resources/updated', params: { uri } });
    expect(first.notifications('notifications/resources/updated')).toHaveLength(0);
    const taken = async (): Promise<number> => (await first.call('received')).split('unsubscribe').length - 1;
    while ((await taken()) < 1);
    await using third = await startProgram();
    const pending = third.request('resources/subscribe', { uri }).catch(() => undefined);
    await third.call('held');
    await third.transport.close();
    await pending;
    while ((await taken()) < 2);
  });

  it('a repeated subscription that fails leaves the first one', () => {
    const subscriptions = new Subscriptions<string>();
    const uri = 'test://a';
    for (const id of [1, 2])
      subscriptions.request('first', { jsonrpc: '2.0', id, method: 'resources/subscribe', params: { uri } });
    subscriptions.settled('first', 1, true);
    expect(subscriptions.settled('first', 2, false)).toBeUndefined();
    const updated = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } } as const;
    expect([...subscriptions.audience(updated, new Set())]).toEqual(['first']);
  });

  it('a program that leaves cancels its own calls and nothing else', async () => {
    await using first = await startProgram();
    const second = await startProgram();
    const kept = first.call('hold', { value: 'kept' });
    const lost = second.call('hold', { value: 'lost' });
    await untilHeld(first, 2);
    await second.transport.close();
    await expect(lost).rejects.toMatchObject({ delivery: 'unknown' });
    while ((await first.call('cancelled')) !== '1');
    await first.call('release');
    expect(await kept).toBe('kept');
  });

  it('a server that dies ends for its programs only, with its own reason', async () => {
    await using first = await startProgram();
    await using second = await startProgram();
    await using other = await startProgram({ args: ['--other'] });
    const pid = Number(await first.call('pid'));
    await expect(first.call('die')).rejects.toMatchObject({ code: 'PROCESS_EXITED', delivery: 'unknown' });
    expect(await second.closed).toMatchObject({
      code: 'PROCESS_EXITED',
      server: 'toy',
      details: { exitCode: 3 },
    });
    expect(isRunning(pid)).toBe(false);
    expect(await other.call('echo', { value: 'alive' })).toBe('alive');
    await using again = await startProgram();
    expect(Number(await again.call('pid'))).not.toBe(pid);
  });
});

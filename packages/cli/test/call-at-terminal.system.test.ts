import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { BIN } from './support/bridge-process.js';
import {
  allow,
  called,
  ECHO,
  ORDINARY,
  quickLog,
  setUp,
  type CheckedCalls,
} from './support/checked-calls.js';
import { describeWithTerminal, openTerminal, type Terminal } from './support/terminal.js';

const PATIENCE = 240_000;

interface Shown {
  readonly code: number;
  readonly text: string;
  readonly log: readonly string[];
}

/** What a person does while the command runs. */
type Person = (terminal: Terminal) => Promise<void>;

interface Seat {
  readonly setup: CheckedCalls;
  /** Runs `fittings` at the terminal. */
  run(args: readonly string[], person?: Person): Promise<Shown>;
}

/** Sits down where calls of the server are repeated without a host, and any of its tools was called before. */
async function sitDown(): Promise<Seat> {
  const setup = await setUp();
  onTestFinished(() => setup[Symbol.asyncDispose]());
  const { env, project } = setup.workspace;
  const terminal = await openTerminal({ cwd: project, env });
  onTestFinished(() => terminal[Symbol.asyncDispose]());
  const options = `--strict-mcp-config --mcp-config "${setup.config}"`;
  await terminal.run(`fittings() { "${process.execPath}" "${BIN}" ${options} "$@"; }`);
  return {
    setup,
    run: (args, person) =>
      setup.noted(async () => {
        const running = await terminal.start(`fittings ${args.join(' ')}`);
        await person?.(terminal);
        return running.ended();
      }),
  };
}

const untilQuick = (seat: Seat): Promise<void> =>
  expect
    .poll(async () => (await seat.run(ECHO)).log, { timeout: 60_000, interval: 500 })
    .not.toContain('server/discover');

/** Calls a tool in the ordinary way, and repeats the call. */
async function both(seat: Seat, tool: string, person: Person): Promise<{ ordinary: Shown; quick: Shown }> {
  const call = ['call', `checked/${tool}`];
  await untilQuick(seat);
  const ordinary = await seat.run([...call, ...ORDINARY], person);
  expect(ordinary.log).toContain('server/discover');
  await allow(seat.setup.workspace, tool);
  const quick = await seat.run(call, person);
  expect(quick.log.slice(0, 7)).toEqual(quickLog(tool, ordinary.log));
  return { ordinary, quick };
}

describeWithTerminal('a call that is repeated at a terminal', () => {
  it(
    'passes a question of the server on to the person, with its warnings, and the answer back',
    async () => {
      const seat = await sitDown();
      const { ordinary, quick } = await both(seat, 'form', async (terminal) => {
        await terminal.until('Do you want to answer?');
        await terminal.press('Enter');
        await terminal.until('◆  name');
        await terminal.type('Ann');
        await terminal.until('◆  password');
        await terminal.press('Enter');
      });
      expect(quick).toEqual({ ...ordinary, log: quick.log });
      expect(quick).toMatchObject({ code: 0, text: expect.stringContaining('Ann') });
      expect(quick.text).toContain('The server "checked" asks: Who are you?');
      expect(quick.text).toContain('Warning: "password" looks like a secret');
      expect(quick.text).toContain('{"action":"accept","content":{"name":"Ann","password":"none"}}');
    },
    PATIENCE,
  );

  it(
    'a question can be declined',
    async () => {
      const { ordinary, quick } = await both(await sitDown(), 'form', async (terminal) => {
        await terminal.until('Do you want to answer?');
        await terminal.press('Down', 'Enter');
      });
      expect(quick).toEqual({ ...ordinary, log: quick.log });
      expect(quick.text).toContain('{"action":"decline"}');
    },
    PATIENCE,
  );

  it(
    'Ctrl-C at a question cancels it',
    async () => {
      const { ordinary, quick } = await both(await sitDown(), 'form', async (terminal) => {
        await terminal.until('Do you want to answer?');
        await terminal.press('C-c');
      });
      expect(quick).toEqual({ ...ordinary, log: quick.log });
      expect(quick.text).toContain('{"action":"cancel"}');
    },
    PATIENCE,
  );

  it(
    'a page that the server asks the person to visit is shown with its warnings, and can be declined',
    async () => {
      const { ordinary, quick } = await both(await sitDown(), 'page', async (terminal) => {
        await terminal.until('Do you want to open this page?');
        await terminal.press('Down', 'Enter');
      });
      expect(quick).toEqual({ ...ordinary, log: quick.log });
      expect(quick.text).toContain('http://192.0.2.1/pay');
      expect(quick.text).toContain('Warning: the connection is not encrypted');
      expect(quick.text).toContain('{"action":"decline"}');
    },
    PATIENCE,
  );

  it(
    'a call that is refused until a page was visited is sent once more after that',
    async () => {
      const { ordinary, quick } = await both(await sitDown(), 'buy', async (terminal) => {
        await terminal.until('Do you want to open this page?');
        await terminal.press('Enter');
        await terminal.until('Are you done with the page?');
        await terminal.press('Enter');
      });
      expect(quick).toEqual({ ...ordinary, log: quick.log });
      expect(quick).toMatchObject({ code: 0, text: expect.stringContaining('bought at call 2') });
      expect(called(quick.log)).toEqual(['called buy', 'called buy']);
    },
    PATIENCE,
  );

  it(
    'shows progress, and Ctrl-C cancels the call',
    async () => {
      const { ordinary, quick } = await both(await sitDown(), 'work', async (terminal) => {
        await terminal.until(/█{12}░{12} +50 % {2}2 of 4 {2}first step/);
        await terminal.press('C-c');
      });
      expect(quick).toEqual({ ...ordinary, log: quick.log });
      expect(quick.code).toBe(130);
      expect(quick.text).toContain('The call had already been sent');
      expect(quick.text).not.toContain('50 %');
    },
    PATIENCE,
  );

  it(
    'says for which server it waits',
    async () => {
      const seat = await sitDown();
      await untilQuick(seat);
      const go = join(seat.setup.workspace.home, 'go');
      await seat.setup.behave({ startsWhen: go });
      const quick = await seat.run(ECHO, async (terminal) => {
        await terminal.until('waiting for checked');
        await writeFile(go, '');
      });
      expect(quick).toMatchObject({ code: 0, text: 'hi\n' });
      expect(quick.log).not.toContain('server/discover');
    },
    PATIENCE,
  );

  it(
    'is not one that was made without a terminal: the server may have listed other tools there',
    async () => {
      const seat = await sitDown();
      await seat.setup.untilQuick(ECHO);
      const atTerminal = await seat.run(ECHO);
      expect(atTerminal).toMatchObject({ code: 0, text: 'hi\n' });
      expect(atTerminal.log).toContain('server/discover');
      expect(atTerminal.log.find((line) => line.startsWith('capabilities '))).toContain('elicitation');
      await untilQuick(seat);
      const script = await seat.setup.run(ECHO);
      expect(script.log).not.toContain('server/discover');
      expect(script.log.find((line) => line.startsWith('capabilities '))).not.toContain('elicitation');
    },
    PATIENCE,
  );
});

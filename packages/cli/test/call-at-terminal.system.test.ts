import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { BIN } from './support/bridge-process.js';
import { called, ECHO, setUp, type CheckedCalls } from './support/checked-calls.js';
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

/** Calls a tool in front of a person. */
async function call(tool: string, person: Person): Promise<Shown> {
  const seat = await sitDown();
  return seat.run(['call', `checked/${tool}`], person);
}

describeWithTerminal('a call at a terminal', () => {
  it(
    'passes a question of the server on to the person, with its warnings, and the answer back',
    async () => {
      const shown = await call('form', async (terminal) => {
        await terminal.until('Do you want to answer?');
        await terminal.press('Enter');
        await terminal.until('◆  name');
        await terminal.type('Ann');
        await terminal.until('◆  password');
        await terminal.press('Enter');
      });
      expect(shown).toMatchObject({ code: 0, text: expect.stringContaining('Ann') });
      expect(shown.text).toContain('The server "checked" asks: Who are you?');
      expect(shown.text).toContain('Warning: "password" looks like a secret');
      expect(shown.text).toContain('{"action":"accept","content":{"name":"Ann","password":"none"}}');
    },
    PATIENCE,
  );

  it(
    'a question can be declined',
    async () => {
      const shown = await call('form', async (terminal) => {
        await terminal.until('Do you want to answer?');
        await terminal.press('Down', 'Enter');
      });
      expect(shown.text).toContain('{"action":"decline"}');
    },
    PATIENCE,
  );

  it(
    'Ctrl-C at a question cancels it',
    async () => {
      const shown = await call('form', async (terminal) => {
        await terminal.until('Do you want to answer?');
        await terminal.press('C-c');
      });
      expect(shown.text).toContain('{"action":"cancel"}');
    },
    PATIENCE,
  );

  it(
    'a page that the server asks the person to visit is shown with its warnings, and can be declined',
    async () => {
      const shown = await call('page', async (terminal) => {
        await terminal.until('Do you want to open this page?');
        await terminal.press('Down', 'Enter');
      });
      expect(shown.text).toContain('http://192.0.2.1/pay');
      expect(shown.text).toContain('Warning: the connection is not encrypted');
      expect(shown.text).toContain('{"action":"decline"}');
    },
    PATIENCE,
  );

  it(
    'a call that is refused until a page was visited is sent once more after that',
    async () => {
      const shown = await call('buy', async (terminal) => {
        await terminal.until('Do you want to open this page?');
        await terminal.press('Enter');
        await terminal.until('Are you done with the page?');
        await terminal.press('Enter');
      });
      expect(shown).toMatchObject({ code: 0, text: expect.stringContaining('bought at call 2') });
      expect(called(shown.log)).toEqual(['called buy', 'called buy']);
    },
    PATIENCE,
  );

  it(
    'shows progress, and Ctrl-C cancels the call',
    async () => {
      const shown = await call('work', async (terminal) => {
        await terminal.until(/█{12}░{12} +50 % {2}2 of 4 {2}first step/);
        await terminal.press('C-c');
      });
      expect(shown.code).toBe(130);
      expect(shown.text).toContain('The call had already been sent');
      expect(shown.text).not.toContain('50 %');
    },
    PATIENCE,
  );

  it(
    'says for which server it waits',
    async () => {
      const seat = await sitDown();
      const go = join(seat.setup.workspace.home, 'go');
      await seat.setup.behave({ startsWhen: go });
      const shown = await seat.run(ECHO, async (terminal) => {
        await terminal.until('waiting for checked');
        await writeFile(go, '');
      });
      expect(shown).toMatchObject({ code: 0, text: 'hi\n' });
    },
    PATIENCE,
  );
});

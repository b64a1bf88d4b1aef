import { createInterface } from 'node:readline/promises';
import {
  type DevicePrompt,
  type LoopbackOptions,
  type PasteBackOptions,
  type InteractionChooser,
  deviceCode,
  interactionForEnvironment,
  loopback,
  openBrowser,
  pasteBack,
  detectEnvironment,
} from '@mcp-fittings/auth-oauth';
import type { CommandDeps } from '../command-deps.js';
import type { SignInMethod } from '../options.js';
import { CommandError } from '../output/hints.js';
import { counted, printable } from '../output/printable.js';
import { openPrompts } from './prompts.js';

const ONE_DAY_MS = 86_400_000;

/** Returns the sign-in interaction of `method`; without one, that which fits the environment. */
export function signInInteraction(deps: CommandDeps, method: SignInMethod | undefined): InteractionChooser {
  const { output, env } = deps;
  const browser: LoopbackOptions = {
    // The command has its own time limit for every method.
    timeoutMs: ONE_DAY_MS,
    clock: deps.clock,
    open: openBrowser,
    onUrl: ({ server, url }) => {
      output.note(
        `Sign in to ${printable(server)} in your browser. If it does not open, go to:\n  ${printable(url.href, 8_000)}`,
      );
    },
  };
  const showCode = (prompt: DevicePrompt): void => note(deps, prompt);
  const ask: PasteBackOptions['ask'] = (question) => askForAddress(deps, question);
  switch (method) {
    case 'browser':
      return () => loopback(browser);
    case 'device':
      return () => deviceCode({ show: showCode });
    case 'paste':
      return () => pasteBack({ ask });
    default:
      return interactionForEnvironment({
        showCode,
        askForAddress: ask,
        loopback: browser,
        environment: detectEnvironment(env),
      });
  }
}

function note({ output }: CommandDeps, prompt: DevicePrompt): void {
  const { server, verificationUri, verificationUriComplete, userCode, expiresInMs } = prompt;
  const { bold } = output.noteStyle;
  output.note(
    `To sign in to ${printable(server)}, open this address on any device:\n  ${printable(verificationUri, 8_000)}`,
  );
  output.note(`and enter this code:\n  ${bold(printable(userCode))}`);
  if (verificationUriComplete !== undefined)
    output.note(
      `Or open this address, which contains the code:\n  ${printable(verificationUriComplete, 8_000)}`,
    );
  const minutes = Math.max(1, Math.round(expiresInMs / 60_000));
  output.note(`The code expires in ${counted(minutes, 'minute')}.`);
}

/** Asks for the address at the terminal; without one, reads a line of stdin. */
async function askForAddress(
  deps: CommandDeps,
  question: Parameters<PasteBackOptions['ask']>[0],
): Promise<string> {
  const { server, url, problem, signal = deps.signal } = question;
  const { output } = deps;
  if (problem === undefined) {
    output.note(
      `To sign in to ${printable(server)}, open this in a browser on any machine:\n  ${printable(url.href, 8_000)}`,
    );
    output.note(
      'After you sign in, the browser shows a page that does not load. Copy its full address and paste it here.',
    );
  } else output.note(output.noteStyle.yellow(printable(problem)));
  if (deps.interactive) {
    const prompts = await openPrompts(deps, signal);
    return prompts.text({ message: 'Address' });
  }
  // A stream that has ended would never close the interface.
  if (!deps.stdin.readableEnded) {
    const lines = createInterface({ input: deps.stdin, signal });
    try {
      for await (const line of lines) return line;
    } finally {
      lines.close();
    }
  }
  signal.throwIfAborted();
  throw new CommandError(
    'AUTH_FAILED',
    `The input ended before the address for ${printable(server)} was pasted.`,
    {
      hint: 'Run the command in a terminal, or send the address to its standard input.',
    },
  );
}

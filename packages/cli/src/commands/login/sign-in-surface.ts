import { createInterface } from 'node:readline/promises';
import {
  deviceCode,
  interactionForEnvironment,
  loopback,
  openBrowser,
  pasteBack,
  detectEnvironment,
  type DevicePrompt,
  type LoopbackOptions,
  type PasteBackQuestion,
  type InteractionChooser,
} from '@mcp-fittings/auth-oauth';
import type { CommandContext } from '../../command-context.js';
import { shown } from '../../output/shown.js';
import { openPrompts } from '../../prompts/prompts.js';
import type { Method } from './command.js';

const ONE_DAY_MS = 86_400_000;

/** The way that was asked for; else the one that fits where this program runs. */
export function signInSurface(context: CommandContext, method: Method | undefined): InteractionChooser {
  const { output, env } = context;
  const browser: LoopbackOptions = {
    // The command itself has a limit, for every method.
    timeoutMs: ONE_DAY_MS,
    clock: context.clock,
    open: openBrowser,
    onUrl: ({ server, url }) => {
      output.note(
        `Sign in to ${shown(server)} in your browser. If it does not open, go to:\n  ${shown(url.href, 8_000)}`,
      );
    },
  };
  const showCode = (prompt: DevicePrompt): void => note(context, prompt);
  const ask = async (question: PasteBackQuestion): Promise<string> => askForAddress(context, question);
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

function note({ output }: CommandContext, prompt: DevicePrompt): void {
  const { server, verificationUri, verificationUriComplete, userCode, expiresInMs } = prompt;
  const { bold } = output.noteStyle;
  output.note(
    `To sign in to ${shown(server)}, open this address on any device:\n  ${shown(verificationUri, 8_000)}`,
  );
  output.note(`and enter this code:\n  ${bold(shown(userCode))}`);
  if (verificationUriComplete !== undefined)
    output.note(`Or open this address, which contains the code:\n  ${shown(verificationUriComplete, 8_000)}`);
  const minutes = Math.max(1, Math.round(expiresInMs / 60_000));
  output.note(`The code expires in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`);
}

/** Asks at the terminal; without one, a line of stdin is the answer. */
async function askForAddress(context: CommandContext, question: PasteBackQuestion): Promise<string> {
  const { server, url, attempt, signal = context.signal } = question;
  const { output } = context;
  if (attempt === 1) {
    output.note(
      `To sign in to ${shown(server)}, open this in a browser on any machine:\n  ${shown(url.href, 8_000)}`,
    );
    output.note(
      'After you sign in, the browser shows a page that does not load. Copy its full address and paste it here.',
    );
  } else
    output.note(
      output.noteStyle.yellow('That is not the address of that page: it starts with http://127.0.0.1.'),
    );
  if (context.interactive) {
    const prompts = await openPrompts(context, signal);
    return prompts.text({ message: 'Address' });
  }
  const lines = createInterface({ input: context.stdin });
  try {
    return await lines.question('', { signal });
  } finally {
    lines.close();
  }
}

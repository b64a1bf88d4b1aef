import type { CommandContext } from '../command-context.js';
import type { SessionOptions } from '../composition/session.js';
import { shown } from '../output/shown.js';
import { openPrompts } from './prompts.js';

/** Asks before credentials are kept unencrypted; without a person the answer is no. */
export function askForConsent(context: CommandContext): SessionOptions['plaintextConsent'] {
  if (!context.interactive) return undefined;
  return async ({ path }) => {
    const prompts = await openPrompts(context);
    return prompts.confirm(
      `Store credentials unencrypted in ${shown(path)}? Every program that runs under your account can read them.`,
      false,
    );
  };
}

import type { OpenHostOptions } from '@mcp-fittings/preset';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';
import { openPrompts } from './prompts.js';

/** Returns what asks for the values of the inputs of one server at the terminal. Those of other servers are not asked for. */
export function inputPrompt(deps: CommandDeps, server: string): NonNullable<OpenHostOptions['askInput']> {
  return async (question) => {
    if (question.server !== server) return undefined;
    if (!deps.interactive)
      throw new CommandError(
        'ARGUMENTS_INVALID',
        'The value cannot be asked for, because this is not a terminal.',
      );
    const { file, password, options } = question;
    const prompts = await openPrompts(deps);
    prompts.tell(`The server "${printable(server)}" needs a value, says ${printable(file)}:`);
    // They are safe to print: they are made for a question.
    const message = question.description;
    if (options !== undefined) {
      const chosen = await prompts.select(
        message,
        options.map(({ label }, index) => ({ value: String(index), label })),
      );
      return options[Number(chosen)]?.value;
    }
    return password
      ? prompts.password(message)
      : prompts.text({ message, ...(question.default !== undefined && { initialValue: question.default }) });
  };
}

import type { CatalogPrompt } from '@mcp-fittings/host';
import { renderForTerminal } from '@mcp-fittings/tools';
import { textPairs } from '../arguments/option-values.js';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';
import { openSession } from '../session/open-session.js';
import { type Target, connectTarget, targetText } from './target.js';

export async function prompt(deps: CommandDeps, text: string, pairs: readonly string[]): Promise<void> {
  const { output, signal } = deps;
  const args = textPairs(pairs);
  await using session = await openSession(deps);
  const { host } = session;
  const target = await connectTarget(deps, session, text, 'prompt', () => host.prompts());
  const { arguments: parameters = [] } = host.prompts().find(isTarget(target)) ?? {};
  const missing = parameters.filter(({ name, required }) => required === true && !Object.hasOwn(args, name));
  if (missing.length > 0) throw missingArgument(target, missing, parameters);
  const result = await host.getPrompt({ server: target.server, prompt: target.name }, args, { signal });
  output.result({ server: target.server, prompt: target.name, ...result }, () => {
    const messages = result.messages.map(
      ({ role, content }) =>
        `${output.style.bold(`${printable(role)}:`)} ${renderForTerminal({ content: [content] })}`,
    );
    const description =
      result.description === undefined ? [] : [output.style.dim(printable(result.description))];
    return [...description, ...messages].join('\n');
  });
}

type Parameters = NonNullable<CatalogPrompt['arguments']>;

function isTarget({ server, name }: Target): (prompt: CatalogPrompt) => boolean {
  return (prompt) => prompt.server === server && prompt.name === name;
}

function missingArgument(target: Target, missing: Parameters, all: Parameters): CommandError {
  const written = ({ name, required }: Parameters[number]): string => {
    const text = `${printable(name)}=<string>`;
    return required === true ? text : `[${text}]`;
  };
  const message = `${missing.map(written).join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`;
  return new CommandError('ARGUMENTS_INVALID', message, {
    server: target.server,
    delivery: 'not-sent',
    hint: `Usage: fittings prompt ${targetText(target)} ${all.map(written).join(' ')}`,
  });
}

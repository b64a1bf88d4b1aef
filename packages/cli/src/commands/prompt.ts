import { renderForTerminal } from '@mcp-fittings/tools';
import { textPairs } from '../arguments/option-values.js';
import type { CommandDeps } from '../command-deps.js';
import { printable } from '../output/printable.js';
import { openSession } from '../session/open-session.js';
import { connectTarget } from './target.js';

export async function prompt(deps: CommandDeps, text: string, pairs: readonly string[]): Promise<void> {
  const { output, signal } = deps;
  const args = textPairs(pairs);
  await using session = await openSession(deps);
  const { host } = session;
  const target = await connectTarget(deps, session, text, 'prompt', () => host.prompts());
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

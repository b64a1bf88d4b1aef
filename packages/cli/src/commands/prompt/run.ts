import { renderForPerson } from '@mcp-fittings/tools';
import { textPairs } from '../../arguments/text-pairs.js';
import type { CommandContext } from '../../command-context.js';
import { shown } from '../../output/shown.js';
import { openSession } from '../open-session.js';
import { connectTarget } from '../target.js';
import type { PromptOptions } from './command.js';

export async function prompt(context: CommandContext, text: string, { arg }: PromptOptions): Promise<void> {
  const { output, signal } = context;
  const args = textPairs(arg);
  await using session = await openSession(context);
  const { host } = session;
  const target = await connectTarget(context, session, text, 'prompt', () => host.prompts());
  const result = await host.getPrompt({ server: target.server, prompt: target.name }, args, { signal });
  output.result({ server: target.server, prompt: target.name, ...result }, () => {
    const messages = result.messages.map(
      ({ role, content }) =>
        `${output.style.bold(`${shown(role)}:`)} ${renderForPerson({ content: [content] })}`,
    );
    const description = result.description === undefined ? [] : [output.style.dim(shown(result.description))];
    return [...description, ...messages].join('\n');
  });
}

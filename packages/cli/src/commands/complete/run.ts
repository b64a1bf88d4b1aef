import type { CompletionParams } from '@mcp-fittings/host';
import { textPairs } from '../../arguments/text-pairs.js';
import type { CommandContext } from '../../command-context.js';
import { shown } from '../../output/shown.js';
import { openSession } from '../open-session.js';
import { connectTarget } from '../target.js';

export interface CompleteRequest {
  readonly kind: 'prompt' | 'resource';
  readonly target: string;
  readonly argument: string;
  readonly value: string;
  readonly args: readonly string[];
}

export async function complete(context: CommandContext, request: CompleteRequest): Promise<void> {
  const { output, signal } = context;
  const { kind, argument, value } = request;
  const decided = textPairs(request.args);
  await using session = await openSession(context);
  const { host } = session;
  const offered = () =>
    kind === 'prompt'
      ? host.prompts()
      : host.resourceTemplates().map(({ server, uriTemplate }) => ({ server, name: uriTemplate }));
  const { server, name } = await connectTarget(context, session, request.target, kind, offered);
  const ref: CompletionParams['ref'] =
    kind === 'prompt' ? { type: 'ref/prompt', name } : { type: 'ref/resource', uri: name };
  const completion = await host.complete(
    { server, ref, argument: { name: argument, value }, context: { arguments: decided } },
    { signal },
  );
  output.result(completion, () => completion.values.map((each) => shown(each)).join('\n'));
  if (completion.hasMore === true) output.note(output.noteStyle.dim('There are more values.'));
}

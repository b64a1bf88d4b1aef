import type { CompletionParams } from '@mcp-fittings/host';
import { textPairs } from '../arguments/option-values.js';
import type { CommandDeps } from '../command-deps.js';
import { printable } from '../output/printable.js';
import { openSession } from '../session/open-session.js';
import { connectTarget } from './target.js';

export interface CompleteRequest {
  readonly kind: 'prompt' | 'resource';
  readonly target: string;
  readonly argument: string;
  readonly value: string;
  readonly args: readonly string[];
}

export async function complete(deps: CommandDeps, request: CompleteRequest): Promise<void> {
  const { output, signal } = deps;
  const { kind, argument, value } = request;
  const decided = textPairs(request.args);
  await using session = await openSession(deps);
  const { host } = session;
  const offered = () =>
    kind === 'prompt'
      ? host.prompts()
      : host.resourceTemplates().map(({ server, uriTemplate }) => ({ server, name: uriTemplate }));
  const { server, name } = await connectTarget(deps, session, request.target, kind, offered);
  const ref: CompletionParams['ref'] =
    kind === 'prompt' ? { type: 'ref/prompt', name } : { type: 'ref/resource', uri: name };
  const completion = await host.complete(
    { server, ref, argument: { name: argument, value }, context: { arguments: decided } },
    { signal },
  );
  output.result(completion, () => completion.values.map((each) => printable(each)).join('\n'));
  if (completion.hasMore === true) output.note(output.noteStyle.dim('There are more values.'));
}

import { pathToFileURL } from 'node:url';
import type { HostCallbacks } from '@mcp-fittings/host';
import type { CommandContext } from '../command-context.js';

/**
 * What the CLI does for servers while it talks to them: it names the folder it was started in, and passes questions on
 * to the person where one is there.
 */
export function hostCallbacks(context: CommandContext, line: { pause(): void }): HostCallbacks {
  const roots = async () => [{ uri: pathToFileURL(context.cwd).href }];
  if (!context.interactive) return { roots };
  return {
    roots,
    async elicit(request, { server, signal }) {
      line.pause();
      const { askForServer } = await import('./elicitation.js');
      return askForServer(context, server, request, signal);
    },
  };
}

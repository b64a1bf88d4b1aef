import { pathToFileURL } from 'node:url';
import type { HostCallbacks } from '@mcp-fittings/host';
import type { CommandDeps } from '../command-deps.js';

/**
 * Creates the callbacks for servers: `roots` is the current directory, and `elicit` asks the user if stdin is a
 * terminal. What asks is loaded for the first question.
 */
export function hostCallbacks(deps: CommandDeps, line: { clear(): void }): HostCallbacks {
  const roots = async () => [{ uri: pathToFileURL(deps.cwd).href }];
  if (!deps.interactive) return { roots };
  return {
    roots,
    async elicit(request, { server, signal }) {
      line.clear();
      const { askForServer } = await import('./elicitation.js');
      return askForServer(deps, server, request, signal);
    },
  };
}

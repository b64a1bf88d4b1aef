import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { nearestNames } from '@mcp-fittings/client-core/text';
import type { LoadedConfig } from '@mcp-fittings/config';

/** The entry of this name, or why there is none to be used. */
export function usableEntry(name: string, { servers, entries }: LoadedConfig): ServerConfig {
  const config = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (config !== undefined) return config;
  const entry = entries.find((each) => each.name === name && each.status !== 'replaced');
  switch (entry?.status) {
    case 'pending':
      throw new FittingsError(
        'APPROVAL_REQUIRED',
        entry.approval?.changed === true
          ? `The definition of the server "${name}" has changed since you approved it.`
          : `The server "${name}" has not been approved.`,
        { server: name, hint: `Review it: fittings approve ${name}` },
      );
    case 'rejected':
      throw new FittingsError('APPROVAL_REQUIRED', `You rejected the server "${name}".`, {
        server: name,
        hint: `Change your decision: fittings approve ${name}`,
      });
    case 'denied':
      throw new FittingsError('POLICY_DENIED', `A policy forbids the server "${name}".`, { server: name });
    case 'invalid': {
      const problem = entry.problems.find(({ severity }) => severity === 'error');
      throw new FittingsError('CONFIG_INVALID', problem?.message ?? `The server "${name}" cannot be used.`, {
        server: name,
        hint: problem?.hint,
      });
    }
    default: {
      const near = nearestNames(
        name,
        entries.map((each) => each.name),
      );
      throw new FittingsError('SERVER_UNKNOWN', `No server is named "${name}".`, {
        server: name,
        hint: near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'Add it: fittings add --help',
      });
    }
  }
}

import { FittingsError, nearestNames } from '@mcp-fittings/client-core';

export function unknownServer(name: string, known: Iterable<string>): FittingsError {
  return new FittingsError('SERVER_UNKNOWN', `There is no server "${name}" in this host.`, {
    server: name,
    delivery: 'not-sent',
    hint: hintFor(name, known, 'Add it with host.connect().'),
  });
}

export function unknownTool(server: string, tool: string, known: Iterable<string>): FittingsError {
  return new FittingsError('TOOL_UNKNOWN', `The server "${server}" has no tool "${tool}".`, {
    server,
    delivery: 'not-sent',
    hint: hintFor(tool, known, 'host.tools() lists what there is.'),
    details: { tool },
  });
}

function hintFor(name: string, known: Iterable<string>, otherwise: string): string {
  const near = nearestNames(name, known);
  return near.length === 0 ? otherwise : `Did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`;
}

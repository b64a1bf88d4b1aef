import { isRecord } from '@mcp-fittings/toolbox/messages';
import { escapeText, truncateText } from '@mcp-fittings/toolbox/text';
import type { JSONRPCObject } from '@mcp-fittings/client-core';
import type { Host, ServerSnapshot } from '@mcp-fittings/host';
import { TASKS_EXTENSION } from '@mcp-fittings/toolbox/tasks';
import type { Exposure } from '../catalog/exposure.js';
import { snapshotOf } from '../catalog/ready-servers.js';
import type { ClientConnection } from '../contracts/surface.js';

/** Longest instructions of one server among those of all, in characters. */
const ONE_LENGTH = 4000;
/** Longest instructions of all servers together, in characters. */
const ALL_LENGTH = 16_000;

/** Returns what a client is told in the handshake: what its servers offer together, and their instructions. */
export function introductionTo(scope: ClientConnection, host: Host, exposure: Exposure): JSONRPCObject {
  const snapshots = exposure
    .servers(scope)
    .flatMap((server) => snapshotOf(host, server, scope.caller.principal) ?? []);
  const instructions =
    scope.mount.server === undefined
      ? mergedInstructions(snapshots)
      : instructionsOf(snapshots[0], ALL_LENGTH);
  return {
    capabilities: capabilitiesOf(snapshots, scope, exposure),
    ...(instructions !== undefined && { instructions }),
  };
}

function capabilitiesOf(
  snapshots: readonly ServerSnapshot[],
  { mount, era }: ClientConnection,
  exposure: Exposure,
): JSONRPCObject {
  /** Returns true if a server offers it, or may offer it once it is connected. */
  const any = (name: string, member?: string): boolean =>
    snapshots.some(({ state }) => {
      if (state.status !== 'connected') return state.status !== 'disabled';
      const capability: unknown = state.connection.capabilities[name];
      return (
        isRecord(capability) &&
        (member === undefined || capability[member] === true || isRecord(capability[member]))
      );
    });
  const hasPrompts = exposure.hasKind('prompts') && any('prompts');
  const hasResources = exposure.hasKind('resources') && any('resources');
  return {
    ...(exposure.hasKind('tools') &&
      (mount.server === undefined || any('tools')) && { tools: { listChanged: true } }),
    ...(hasPrompts && { prompts: { listChanged: true } }),
    ...(hasResources && {
      resources: { listChanged: true, ...(any('resources', 'subscribe') && { subscribe: true }) },
    }),
    ...((hasPrompts || hasResources) && any('completions') && { completions: {} }),
    ...(any('logging') && { logging: {} }),
    ...(era === 'modern' && any('extensions', TASKS_EXTENSION) && { extensions: { [TASKS_EXTENSION]: {} } }),
  };
}

function instructionsOf(snapshot: ServerSnapshot | undefined, maxLength: number): string | undefined {
  if (snapshot?.state.status !== 'connected') return undefined;
  const { instructions } = snapshot.state.connection;
  return instructions === undefined || instructions.trim() === ''
    ? undefined
    : truncateText(instructions, maxLength);
}

/** Puts the instructions of each server under its name. A server cannot begin the part of another one. */
function mergedInstructions(snapshots: readonly ServerSnapshot[]): string | undefined {
  const parts: string[] = [];
  let left = ALL_LENGTH;
  for (const snapshot of snapshots) {
    const text = instructionsOf(snapshot, ONE_LENGTH);
    if (text === undefined) continue;
    const name = escapeText(snapshot.name, { maxLength: 100 });
    const quoted = escapeText(text.trim(), { multiline: true }).replaceAll('\n', '\n> ');
    const part = `## Server ${JSON.stringify(name)}\n\n> ${quoted}`;
    if (part.length + 2 > left) continue;
    left -= part.length + 2;
    parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

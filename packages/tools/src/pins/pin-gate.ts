import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { CatalogTool } from '@mcp-fittings/host';
import type { ToolHost } from '../calls/call-tool.js';
import type { ModelTool } from '../model-tools/model-tool.js';
import type { OfferedTools, SkippedTool } from '../model-tools/offered-tools.js';
import type { ToolPolicyVerdict } from '../permissions/tool-permissions.js';
import type { PolicyTool } from '../permissions/tool-policy.js';
import type { PinChange, PinnedServer } from './compare-pins.js';
import type { ToolPin } from './pin-record.js';
import type { PinReview, ToolPins } from './tool-pins.js';

/** A question about a tool that changed or was added since the user agreed to the tools of its server. */
export interface PinQuestion {
  /** What changed. */
  readonly change: PinChange;
  /** The tool as its server describes it now, which is what is called: escape its texts before you show them. */
  readonly tool: Pick<CatalogTool, 'title' | 'annotations'>;
  /** What changed, for the user: escaped and bounded. */
  readonly text: string;
  /** Why the user is asked. */
  readonly verdict: ToolPolicyVerdict;
  /** Pins the tool as it was when the question was asked. */
  accept(): Promise<void>;
}

/** What the servers of a host changed since the user agreed to it. */
export interface HostPins {
  /** Returns the changes that wait for the user, and under `warn` none. `describe` says what changed. */
  changes(): readonly PinChange[];
  /** Describes a change for a person who decides by it: escaped and bounded. */
  describe(change: PinChange): string;
  /** Agrees to changes as they were when `changes()` returned them. Rejects if they could not be stored. */
  accept(changes: readonly PinChange[]): Promise<void>;
  /**
   * Returns the instructions of each server that may go into a prompt: those that are pinned, also while a change waits. Servers
   * without instructions are left out.
   */
  instructions(): ReadonlyMap<string, string>;
  /** Resolves when what was pinned of a server is stored. Rejects if it could not be. */
  settled(server: string): Promise<void>;
}

/** What offering and calling tools needs. */
export interface PinGate extends HostPins {
  /** Offers the tools of the host without those that the user has not agreed to. */
  offer(prepare: (list: readonly CatalogTool[]) => OfferedTools): OfferedTools;
  /** Returns the tools that the user has agreed to. */
  agreed(): readonly CatalogTool[];
  /** Returns what to ask before this tool is called. Throws `POLICY_DENIED` if its change blocks it. */
  question(tool: ModelTool, current: PolicyTool): PinQuestion | undefined;
}

/** Applies pins to the tools that a host has for one person. */
export function createPinGate(host: ToolHost, pins: ToolPins, principal: string | undefined): PinGate {
  const snapshots = (): Map<string, { readonly identity: string; readonly state?: unknown }> => {
    const list = host.servers?.({ principal }) ?? [];
    return new Map(list.map((each) => [each.name, each]));
  };
  const serverOf = (
    name: string,
    tools: readonly CatalogTool[],
    known: ReturnType<typeof snapshots> = snapshots(),
  ): PinnedServer => {
    const { identity, state } = known.get(name) ?? {};
    return { name, identity, principal, tools, instructions: instructionsIn(state) };
  };
  const servers = (): readonly PinnedServer[] => {
    const tools = new Map<string, CatalogTool[]>();
    for (const tool of host.tools({ principal })) {
      const own = tools.get(tool.server);
      if (own === undefined) tools.set(tool.server, [tool]);
      else own.push(tool);
    }
    const known = snapshots();
    return Array.from(tools, ([name, own]) => serverOf(name, own, known));
  };
  const serverNamed = (name: string): PinnedServer =>
    serverOf(
      name,
      host.tools({ principal }).filter(({ server }) => server === name),
    );
  /** A server whose pins cannot be read is reported by `offer` and by its calls. */
  const reviewed = (): readonly (PinReview & { readonly name: string })[] =>
    servers().flatMap((server) => {
      try {
        return [{ ...pins.review(server), name: server.name }];
      } catch (error) {
        if (error instanceof FittingsError && error.code !== 'CALLBACK_FAILED') return [];
        throw error;
      }
    });
  const pinnedTool = (pin: ToolPin, server: string): CatalogTool =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from a tool of this type, and read as carefully as one of a server
    ({ ...pin.definition, server, digest: pin.digest }) as unknown as CatalogTool;

  return {
    changes: () => reviewed().flatMap(({ waiting }) => [...waiting.values()]),
    describe: (change) => pins.describe(change),
    async accept(changes) {
      const names = new Set(changes.map(({ server }) => server));
      for (const name of names) {
        await pins.accept(
          serverNamed(name),
          changes.filter(({ server }) => server === name),
        );
      }
    },
    instructions() {
      const found = reviewed().flatMap(({ name, record }) =>
        typeof record?.instructions === 'string' ? [[name, record.instructions] as const] : [],
      );
      return new Map(found);
    },
    offer(prepare) {
      const list: CatalogTool[] = [];
      const skipped: SkippedTool[] = [];
      for (const server of servers()) {
        let review: PinReview;
        try {
          review = pins.review(server);
        } catch (error) {
          if (!(error instanceof FittingsError) || error.code === 'CALLBACK_FAILED') throw error;
          for (const tool of server.tools)
            skipped.push({ ref: { server: server.name, tool: tool.name }, error });
          continue;
        }
        const pinned = new Map<string, ToolPin>();
        if (review.waiting.size > 0) for (const pin of review.record?.tools ?? []) pinned.set(pin.name, pin);
        for (const tool of server.tools) {
          const change = review.waiting.get(tool.name);
          const pin = pinned.get(tool.name);
          if (change === undefined || (pins.onChange === 'ask' && pins.showUnseen)) list.push(tool);
          else if (pins.onChange === 'ask' && pin !== undefined) list.push(pinnedTool(pin, server.name));
          else {
            skipped.push({
              ref: { server: tool.server, tool: tool.name },
              error: notAgreed(pins, change),
            });
          }
        }
      }
      const { offered, skipped: others } = prepare(list);
      return { offered, skipped: [...others, ...skipped] };
    },
    agreed: () =>
      servers().flatMap((server) => {
        const { waiting } = pins.review(server);
        return server.tools.filter(({ name }) => !waiting.has(name));
      }),
    async settled(name) {
      const server = serverNamed(name);
      // A call may be the first use: the toolset may be older than the entry of the server.
      pins.review(server);
      await pins.settled(server);
    },
    question({ ref, definition }, current) {
      const server = serverNamed(ref.server);
      // A tool that is not listed any more may still be called, as the toolset describes it.
      const tool = server.tools.find(({ name }) => name === ref.tool) ?? { ...definition, ...current };
      const all = server.tools.includes(tool) ? server : { ...server, tools: [...server.tools, tool] };
      const change = pins.review(all).waiting.get(ref.tool);
      if (change === undefined) return undefined;
      if (pins.onChange === 'block') throw notAgreed(pins, change);
      const [reason = '', ...lines] = pins.describe(change).split('\n');
      return {
        change,
        tool,
        text: lines.join('\n'),
        verdict: {
          decision: 'ask',
          rule: change.kind === 'changed' ? 'changed-tool' : 'added-tool',
          reason,
        },
        accept: () => pins.accept(all, [change]),
      };
    },
  };
}

/** The error of a tool that is not offered, or not called, because the user has not agreed to it. */
function notAgreed(pins: ToolPins, change: PinChange): FittingsError {
  const { server, kind } = change;
  const isBlocked = pins.onChange === 'block';
  return new FittingsError(isBlocked ? 'POLICY_DENIED' : 'APPROVAL_REQUIRED', pins.summarize(change), {
    server,
    delivery: 'not-sent',
    details: { pin: kind },
    hint: 'Show the user what changed (`tools.pins.describe`), and accept it if they agree (`tools.pins.accept`).',
  });
}

/** Reads the instructions of a connected server; undefined if it is not connected. */
function instructionsIn(state: unknown): string | null | undefined {
  if (!isRecord(state) || !isRecord(state['connection'])) return undefined;
  const { instructions } = state['connection'];
  return typeof instructions === 'string' ? instructions : null;
}

import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { CatalogTool } from '@mcp-fittings/host';
import type { ToolHost } from '../tool-host.js';
import type { ModelTool } from '../model-tools/model-tool.js';
import { groupBy } from '../names/keys.js';
import type { OfferedTools, SkippedTool } from '../model-tools/offered-tools.js';
import type { ToolPolicyVerdict } from '../permissions/tool-permissions.js';
import type { PolicyTool } from '../permissions/tool-policy.js';
import type { PinChange, PinnedServer } from './compare-pins.js';
import type { ToolPin } from './pin-record.js';
import type { PinReview, ToolPins } from './tool-pins.js';

/** A question about a tool that changed or was added since the user agreed to the tools of its server. */
export interface PinQuestion {
  /** The change that the question is about. */
  readonly change: PinChange;
  /** The tool as its server describes it now, which is what is called: escape its texts before you show them. */
  readonly tool: Pick<CatalogTool, 'title' | 'annotations'>;
  /** Describes the change for the user: escaped and bounded. */
  readonly text: string;
  /** Verdict of the policy, with the reason for the question. */
  readonly verdict: ToolPolicyVerdict;
  /** Pins the tool as it was when the question was asked. */
  accept(): Promise<void>;
}

/** Lists and accepts what the servers of a host changed since the user agreed to it. */
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

/** Applies pins to the tools that a host has for one person. */
export class PinGate implements HostPins {
  readonly #host: ToolHost;
  readonly #pins: ToolPins;
  readonly #principal: string | undefined;

  constructor(host: ToolHost, pins: ToolPins, principal: string | undefined) {
    this.#host = host;
    this.#pins = pins;
    this.#principal = principal;
  }

  changes(): readonly PinChange[] {
    return this.#reviewed().flatMap(({ waiting }) => [...waiting.values()]);
  }

  describe(change: PinChange): string {
    return this.#pins.describe(change);
  }

  async accept(changes: readonly PinChange[]): Promise<void> {
    const names = new Set(changes.map(({ server }) => server));
    for (const name of names) {
      await this.#pins.accept(
        this.#serverNamed(name),
        changes.filter(({ server }) => server === name),
      );
    }
  }

  instructions(): ReadonlyMap<string, string> {
    const found = this.#reviewed().flatMap(({ name, record }) =>
      typeof record?.instructions === 'string' ? [[name, record.instructions] as const] : [],
    );
    return new Map(found);
  }

  async settled(name: string): Promise<void> {
    const server = this.#serverNamed(name);
    // A call may be the first use: the toolset may be older than the entry of the server.
    this.#pins.review(server);
    await this.#pins.settled(server);
  }

  /** Offers the tools of the host without those that the user has not agreed to. */
  offer(prepare: (list: readonly CatalogTool[]) => OfferedTools): OfferedTools {
    const list: CatalogTool[] = [];
    const skipped: SkippedTool[] = [];
    for (const server of this.#servers()) {
      let review: PinReview;
      try {
        review = this.#pins.review(server);
      } catch (error) {
        if (!(error instanceof FittingsError) || error.code === 'CALLBACK_FAILED') throw error;
        for (const tool of server.tools)
          skipped.push({ ref: { server: server.name, tool: tool.name }, error });
        continue;
      }
      const pinned = new Map<string, ToolPin>();
      if (review.waiting.size > 0) for (const pin of review.record?.tools ?? []) pinned.set(pin.name, pin);
      const { onChange, showUnseen } = this.#pins;
      for (const tool of server.tools) {
        const change = review.waiting.get(tool.name);
        const pin = pinned.get(tool.name);
        if (change === undefined || (onChange === 'ask' && showUnseen)) list.push(tool);
        else if (onChange === 'ask' && pin !== undefined) list.push(pinnedTool(pin, server.name));
        else {
          skipped.push({
            ref: { server: tool.server, tool: tool.name },
            error: notAgreed(this.#pins, change),
          });
        }
      }
    }
    const { offered, skipped: others } = prepare(list);
    return { offered, skipped: [...others, ...skipped] };
  }

  /** Returns the tools that the user has agreed to. */
  agreed(): readonly CatalogTool[] {
    return this.#servers().flatMap((server) => {
      const { waiting } = this.#pins.review(server);
      return server.tools.filter(({ name }) => !waiting.has(name));
    });
  }

  /** Returns what to ask before this tool is called. Throws `POLICY_DENIED` if its change blocks it. */
  question({ ref, definition }: ModelTool, current: PolicyTool): PinQuestion | undefined {
    const pins = this.#pins;
    const server = this.#serverNamed(ref.server);
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
  }

  /** A server whose pins cannot be read is reported by `offer` and by its calls. */
  #reviewed(): readonly (PinReview & { readonly name: string })[] {
    return this.#servers().flatMap((server) => {
      try {
        return [{ ...this.#pins.review(server), name: server.name }];
      } catch (error) {
        if (error instanceof FittingsError && error.code !== 'CALLBACK_FAILED') return [];
        throw error;
      }
    });
  }

  #servers(): readonly PinnedServer[] {
    const tools = groupBy(this.#host.tools({ principal: this.#principal }), ({ server }) => server);
    const known = this.#snapshots();
    return Array.from(tools, ([name, own]) => this.#serverOf(name, own, known));
  }

  #serverNamed(name: string): PinnedServer {
    const tools = this.#host.tools({ principal: this.#principal }).filter(({ server }) => server === name);
    return this.#serverOf(name, tools, this.#snapshots());
  }

  #serverOf(
    name: string,
    tools: readonly CatalogTool[],
    known: ReadonlyMap<string, { readonly identity: string; readonly state?: unknown }>,
  ): PinnedServer {
    const { identity, state } = known.get(name) ?? {};
    return { name, identity, principal: this.#principal, tools, instructions: instructionsIn(state) };
  }

  #snapshots(): ReadonlyMap<string, { readonly identity: string; readonly state?: unknown }> {
    const list = this.#host.servers({ principal: this.#principal });
    return new Map(list.map((each) => [each.name, each]));
  }
}

function pinnedTool(pin: ToolPin, server: string): CatalogTool {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from a tool of this type, and read as carefully as one of a server
  return { ...pin.definition, server, digest: pin.digest } as unknown as CatalogTool;
}

/** Returns the error of a tool that is not offered, or not called, because the user has not agreed to it. */
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

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { FittingsError, type Clock } from '@mcp-fittings/client-core';
import { matchesWildcard } from '@mcp-fittings/toolbox/text';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { ToolResult } from '@mcp-fittings/host';
import type { KeptResults, RenderedResult, ResultSpill, SpilledResult } from '../calls/result-spill.js';
import type { ModelTool } from '../model-tools/model-tool.js';
import { DEFAULT_RENDERING, readContent, renderForModel, renderingOf } from '../results/render-result.js';
import type { RenderedPart } from '../results/rendering.js';
import { ImageScaler } from './bounded-image.js';
import { endOfPage } from './cut-text.js';
import { partsOf, previewOf } from './preview.js';
import { describeReader, parseReadArguments } from './read-arguments.js';
import { readResult } from './read-result.js';
import { decodeResult, encodeResult } from './result-record.js';
import { lineFeeds } from './search-text.js';
import { asSpillError, unknownResult } from './spill-error.js';
import type { SpillStore } from './spill-store.js';
import { positive } from './stored-entries.js';
import { readWholeResult, type WholeResult } from './whole-result.js';

/** Options of {@link createSpill}. */
export interface SpillOptions {
  /** Keeps the results: `memorySpillStore()`, `fileSpillStore({ folder })`, or a store of your own. */
  readonly store: SpillStore;
  /**
   * Maximum characters of a result that the model gets whole. Default 25 000. A result beyond `rendering.maxCharacters` of
   * `createTools` is kept in any case, unless this is `Infinity`.
   */
  readonly maxCharacters?: number | undefined;
  /** Characters of a larger result that the model gets at once. Default 3000. */
  readonly previewCharacters?: number | undefined;
  /** Other limits for some tools. The first entry that matches a tool applies. Default: none. */
  readonly perTool?:
    | readonly {
        /** Name of the server; `*` matches any text. Default: all servers. */
        readonly server?: string | undefined;
        /** Name of the tool at its server; `*` matches any text. Default: all tools. */
        readonly tool?: string | undefined;
        /** As {@link SpillOptions.maxCharacters}. `Infinity`: results of these tools are not kept. */
        readonly maxCharacters?: number | undefined;
        /** As {@link SpillOptions.previewCharacters}. */
        readonly previewCharacters?: number | undefined;
      }[]
    | undefined;
  /** Maximum characters of a page of `read_result`. Default 20 000. */
  readonly pageCharacters?: number | undefined;
  /**
   * Limits the pixels of images for the model. Larger ones are scaled down if the package `sharp` is installed, and described otherwise.
   * Default: images are limited in bytes only (`rendering.maxMediaBytes`), and never scaled.
   */
  readonly images?:
    | {
        /** Maximum width times height. Default 2 500 000. */
        readonly maxPixels?: number | undefined;
        /** Maximum width, and maximum height. Default 2000. */
        readonly maxEdge?: number | undefined;
        /**
         * Maximum pixels of an image that is decoded to scale it down; a larger one is described in the text. Default 100 000 000,
         * which take up to 400 MB while they are decoded.
         */
        readonly maxInputPixels?: number | undefined;
      }
    | undefined;
  /** Milliseconds for which a result is kept. Default: an hour. */
  readonly ttlMs?: number | undefined;
  /** Maximum bytes of one result that is kept. A larger one is truncated as without `spill`. Default 100 000 000. */
  readonly maxResultBytes?: number | undefined;
  /** The clock for `ttlMs` and the time of a search. Default: the clock of the system. */
  readonly clock?: Clock | undefined;
}

/** Keeps large results. Pass it to `createTools`, and close it when the program ends. */
export interface Spill extends ResultSpill, AsyncDisposable {
  /**
   * Returns a spill for `createTools` whose references stay valid for every later `createTools` with the same id and
   * `principal`, until they expire: for a program that creates its tools anew for each request. Without it, the results of a
   * `createTools` are its own, each `tools.conversation()` reads only its own, and all are removed when the tools are closed.
   * @param id Names the conversation. Guessing it is not enough to read its results: the reference is needed too.
   */
  forConversation(id: string): ResultSpill;
  /** Closes the store, which removes its results. */
  close(): Promise<void>;
}

interface Settings {
  readonly options: SpillOptions;
  readonly pageCharacters: number;
  readonly ttlMs: number;
  readonly maxResultBytes: number;
  readonly clock: Clock;
  readonly scaler: ImageScaler | undefined;
}

const HOUR_MS = 3_600_000;

/**
 * Keeps results that are too large for a model. The model gets a preview, the size and a reference, and reads the rest with the
 * tool `read_result`, which `createTools` then offers. The event of the call still has the whole result.
 * @throws {FittingsError} `CONFIG_INVALID` if a limit is not positive, or `pageCharacters` is `Infinity`.
 * @example
 * ```ts
 * import { createSpill, fileSpillStore } from '@mcp-fittings/tools/spill';
 *
 * await using spill = createSpill({ store: fileSpillStore({ folder: '/var/lib/my-agent/results' }), maxCharacters: 10_000 });
 * const tools = createTools(host, { spill });
 * ```
 */
export function createSpill(options: SpillOptions): Spill {
  checkLimits(options);
  if (options.pageCharacters === Infinity)
    throw new FittingsError('CONFIG_INVALID', 'pageCharacters must be finite, because the model is told it.');
  for (const [index, each] of options.perTool?.entries() ?? []) checkLimits(each, `perTool[${index}].`);
  const settings: Settings = {
    options,
    pageCharacters: options.pageCharacters ?? 20_000,
    ttlMs: options.ttlMs ?? HOUR_MS,
    maxResultBytes: options.maxResultBytes ?? 100_000_000,
    clock: options.clock ?? systemClock,
    scaler: options.images === undefined ? undefined : new ImageScaler(options.images),
  };
  const open = (principal: string | undefined, id: string | undefined): KeptResults => {
    const owner = sha256(
      JSON.stringify([id === undefined ? 'one' : 'shared', id ?? randomUUID(), principal ?? null]),
    );
    return new Results(settings, owner, id === undefined);
  };
  const close = async (): Promise<void> => options.store.close?.();
  return {
    open: ({ principal }) => open(principal, undefined),
    forConversation: (id) => ({ open: ({ principal }) => open(principal, id) }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

class Results implements KeptResults {
  readonly reader;
  readonly #settings: Settings;
  readonly #owner: string;
  readonly #removeOnClose: boolean;
  /** The results to remove, oldest first, with the times at which they expire. */
  readonly #keys = new Map<string, number>();

  constructor(settings: Settings, owner: string, removeOnClose: boolean) {
    this.#settings = settings;
    this.#owner = owner;
    this.#removeOnClose = removeOnClose;
    this.reader = describeReader(settings.pageCharacters);
  }

  async render(
    tool: ModelTool,
    result: ToolResult,
    { rendering, readerName, conversation, signal }: Parameters<KeptResults['render']>[2],
  ): Promise<RenderedResult> {
    const limits = this.#limitsOf(tool);
    if (limits.maxCharacters === Infinity) return { rendering: renderForModel(result, rendering) };
    const maxCharacters = Math.min(
      limits.maxCharacters,
      rendering.maxCharacters ?? DEFAULT_RENDERING.maxCharacters,
    );
    const isError = result.isError === true;
    const { maxResultBytes, scaler, ttlMs } = this.#settings;
    let whole: WholeResult | undefined;
    try {
      const segments = readContent(result, maxResultBytes);
      const characters = segments.reduce(
        (sum, each) => sum + (each.kind === 'text' ? each.text.length + 1 : 0),
        0,
      );
      const isLong = characters > maxCharacters;
      if (!isLong && segments.every(({ kind }) => kind === 'text'))
        return { rendering: renderForModel(result, rendering) };
      whole = await readWholeResult(segments, {
        maxBytes: maxResultBytes,
        maxMedia: rendering.maxMedia ?? DEFAULT_RENDERING.maxMedia,
        maxMediaBytes: rendering.maxMediaBytes ?? DEFAULT_RENDERING.maxMediaBytes,
        scaler,
        signal,
      });
      const fits = whole.text.length <= maxCharacters;
      if (fits && !whole.isReduced)
        return {
          rendering: isLong
            ? renderingOf(partsOf(whole, Infinity), isError)
            : renderForModel(result, rendering),
        };
      const spilled = await this.#keep(whole, this.#ownerIn(conversation));
      const length = fits ? maxCharacters : Math.min(limits.previewCharacters, maxCharacters);
      return { rendering: previewOf(whole, spilled, { length, readerName, ttlMs, isError }), spilled };
    } catch (error) {
      signal.throwIfAborted();
      const spillError = asSpillError(error, 'Could not keep a large result.');
      if (whole !== undefined) {
        const end = endOfPage(whole.text, maxCharacters);
        return { rendering: renderingOf([...partsOf(whole, end), lostNote(end)], isError), spillError };
      }
      // No image of it was scaled.
      const maxMedia = scaler === undefined ? rendering.maxMedia : 0;
      const { parts } = renderForModel(result, { ...rendering, maxCharacters, maxMedia });
      return { rendering: renderingOf([...parts, lostNote()], isError), spillError };
    }
  }

  async read(
    args: Readonly<Record<string, unknown>>,
    { rendering, conversation, signal }: Parameters<KeptResults['read']>[1],
  ): Promise<readonly RenderedPart[]> {
    const asked = parseReadArguments(args);
    const { options, pageCharacters, clock, scaler } = this.#settings;
    try {
      const bytes = await options.store.get(keyOf(this.#ownerIn(conversation), asked.reference));
      if (bytes === undefined) throw unknownResult();
      return await readResult(decodeResult(bytes), asked, {
        pageCharacters,
        maxMediaBytes: rendering.maxMediaBytes ?? DEFAULT_RENDERING.maxMediaBytes,
        scaler,
        clock,
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw asSpillError(error, 'Could not read a large result.');
    }
  }

  async close(): Promise<void> {
    if (!this.#removeOnClose) return;
    const keys = [...this.#keys.keys()];
    this.#keys.clear();
    await Promise.allSettled(keys.map((key) => this.#settings.options.store.delete(key)));
  }

  async #keep(whole: WholeResult, owner: string): Promise<SpilledResult> {
    const { options, ttlMs, clock } = this.#settings;
    const reference = `r_${randomBytes(16).toString('base64url')}`;
    const key = keyOf(owner, reference);
    const data = encodeResult(whole);
    await options.store.put(key, data, { ttlMs, owner });
    const now = clock.now();
    if (this.#removeOnClose) {
      for (const [old, expiresAt] of this.#keys) if (expiresAt <= now) this.#keys.delete(old);
      this.#keys.set(key, now + ttlMs);
    }
    return {
      reference,
      characters: whole.text.length,
      lines: lineFeeds(whole.text, 0, whole.text.length) + 1,
      items: whole.items.length,
      bytes: data.length,
      expiresAt: now + ttlMs,
    };
  }

  /** Returns the owner of the results of a conversation. One that was named with `forConversation` is one, whatever its id. */
  #ownerIn(conversation: string | undefined): string {
    return conversation === undefined || !this.#removeOnClose
      ? this.#owner
      : sha256(`${this.#owner}\n${conversation}`);
  }

  #limitsOf({ ref }: ModelTool): { readonly maxCharacters: number; readonly previewCharacters: number } {
    const { perTool = [], maxCharacters = 25_000, previewCharacters = 3_000 } = this.#settings.options;
    const own = perTool.find(
      ({ server = '*', tool = '*' }) =>
        matchesWildcard(ref.server, server) && matchesWildcard(ref.tool, tool),
    );
    return {
      maxCharacters: own?.maxCharacters ?? maxCharacters,
      previewCharacters: own?.previewCharacters ?? previewCharacters,
    };
  }
}

/** The owner is part of the key, so that a reference leads nowhere in another conversation. */
function keyOf(owner: string, reference: string): string {
  return sha256(`${owner}\n${reference}`);
}

/** Says that the rest is lost to the model. The reason is in the event: it may name files of the host. */
function lostNote(shown?: number): RenderedPart {
  const first = shown === undefined ? '' : ` At most the first ${shown} characters are shown.`;
  return {
    type: 'text',
    text: `[The whole result could not be kept, so that the rest of it cannot be read.${first} Request less data.]`,
  };
}

const LIMITS = ['maxCharacters', 'previewCharacters', 'pageCharacters', 'ttlMs', 'maxResultBytes'] as const;

function checkLimits(limits: Pick<SpillOptions, (typeof LIMITS)[number]>, at = ''): void {
  for (const name of LIMITS) {
    const value = limits[name];
    if (value !== undefined) positive(at + name, value);
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

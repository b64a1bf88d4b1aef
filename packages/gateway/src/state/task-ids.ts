import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Clock, SharedState } from '@mcp-fittings/client-core';
import { isRecord, parseJson } from '@mcp-fittings/toolbox/messages';
import { isRecent } from '@mcp-fittings/toolbox/timing';

/** A task of a server, and the tool whose call it is. */
export interface ServerTask {
  readonly server: string;
  /** `identity` of the server's entry: another one of the same name does not know the task. */
  readonly identity: string;
  readonly tool: string;
  /** Id that the server gave the task. */
  readonly taskId: string;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const RECORD = 'task-key';
/** As good as for ever. */
const TEN_YEARS_MS = 10 * 365 * 24 * 3600 * 1000;
/** Most characters of an id: `withTasks()` takes no longer ones. */
const MAX_ID = 1024;
/** Milliseconds for which a state that has failed is not asked again. */
const FAILED_MS = 5000;
/** Milliseconds for which the state is not read again for an id that is unknown, which anyone can invent. */
const UNKNOWN_MS = 1000;

/**
 * Seals which task of which server an id stands for, and to whom it belongs, in the id itself. Replicas have the key in common, so each of
 * them can continue a task, and none remembers any.
 */
export class TaskIds {
  readonly #state: SharedState | undefined;
  readonly #clock: Clock;
  #key: Buffer | undefined;
  #failure: { readonly error: unknown; readonly at: number } | undefined;
  #refreshing: Promise<void> | undefined;
  /** Time at which the key was read last. */
  #readAt = -Infinity;

  /** @param state - keeps the key; undefined for the only replica */
  constructor(state: SharedState | undefined, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Reads the key that counts now, or makes it. Rejects as the state does, or has done some seconds ago. */
  refresh(): Promise<void> {
    return (this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    }));
  }

  /**
   * Returns the id of a task for its owner; `undefined` if it would be too long. Call `refresh()` before the task exists.
   */
  seal({ server, identity, tool, taskId }: ServerTask, owner: string): string | undefined {
    if (this.#key === undefined) return undefined;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv).setAAD(Buffer.from(owner));
    const text = JSON.stringify([server, identity, tool, taskId]);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    const id = Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    return id.length > MAX_ID ? undefined : id;
  }

  /** Returns the task; `undefined` if the id is not one of this owner. Rejects as the state does, for an id that this replica cannot open. */
  async open(id: string, owner: string): Promise<ServerTask | undefined> {
    if (id.length > MAX_ID) return undefined;
    const known = this.#opened(id, owner);
    if (known !== undefined || isRecent(this.#readAt, UNKNOWN_MS, this.#clock.now())) return known;
    await this.refresh();
    return this.#opened(id, owner);
  }

  async #refresh(): Promise<void> {
    const now = this.#clock.now();
    if (this.#failure !== undefined && isRecent(this.#failure.at, FAILED_MS, now)) throw this.#failure.error;
    try {
      this.#key = await this.#read();
      this.#readAt = now;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = { error, at: this.#clock.now() };
      throw error;
    }
  }

  #opened(id: string, owner: string): ServerTask | undefined {
    return this.#key && opened(id, owner, this.#key);
  }

  async #read(): Promise<Buffer> {
    const state = this.#state;
    if (state === undefined) return this.#key ?? randomBytes(KEY_BYTES);
    let found = await state.get(RECORD);
    if (found === undefined) {
      // Of several replicas that do so at once, one succeeds.
      const fresh = { key: randomBytes(KEY_BYTES).toString('base64') };
      await state.set(RECORD, fresh, { lifetimeMs: TEN_YEARS_MS, version: '' });
      found = await state.get(RECORD);
    }
    const key = isRecord(found?.value) ? Buffer.from(String(found.value['key']), 'base64') : undefined;
    if (key?.length !== KEY_BYTES) throw new Error('The key of tasks cannot be read.');
    return key;
  }
}

function opened(id: string, owner: string, key: Buffer): ServerTask | undefined {
  const bytes = Buffer.from(id, 'base64url');
  const start = IV_BYTES + TAG_BYTES;
  if (bytes.length <= start) return undefined;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(IV_BYTES, start));
  let text: string;
  try {
    text = Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
  const [server, identity, tool, taskId] = textsOf(parseJson(text));
  if (server === undefined || identity === undefined || tool === undefined || taskId === undefined)
    return undefined;
  return { server, identity, tool, taskId };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

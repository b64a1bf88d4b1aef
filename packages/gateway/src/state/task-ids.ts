import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SharedState } from '@mcp-fittings/client-core';
import { isRecord, parseJson } from '@mcp-fittings/toolbox/messages';

/** A task of a server, and the tool whose call it is. */
export interface ServerTask {
  readonly server: string;
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

/**
 * Seals which task of which server an id stands for, and to whom it belongs, in the id itself. Replicas have the key in common, so each of
 * them can continue a task, and none remembers any.
 */
export class TaskIds {
  readonly #state: SharedState | undefined;
  #key: Buffer | undefined;

  /** @param state - keeps the key; undefined for the only replica */
  constructor(state: SharedState | undefined) {
    this.#state = state;
  }

  /** Reads the key that counts now, or makes it. Rejects as the state does. */
  async refresh(): Promise<Buffer> {
    const state = this.#state;
    if (state === undefined) return (this.#key ??= randomBytes(KEY_BYTES));
    let found = await state.get(RECORD);
    if (found === undefined) {
      // Of several replicas that do so at once, one succeeds.
      const fresh = { key: randomBytes(KEY_BYTES).toString('base64') };
      await state.set(RECORD, fresh, { lifetimeMs: TEN_YEARS_MS, version: '' });
      found = await state.get(RECORD);
    }
    const key = isRecord(found?.value) ? Buffer.from(String(found.value['key']), 'base64') : undefined;
    if (key?.length !== KEY_BYTES) throw new Error('The key of tasks cannot be read.');
    this.#key = key;
    return key;
  }

  /** Returns the id of a task for its owner. Call `refresh()` before the task exists. */
  async seal({ server, tool, taskId }: ServerTask, owner: string): Promise<string> {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key ?? (await this.refresh()), iv).setAAD(Buffer.from(owner));
    const text = JSON.stringify([server, tool, taskId]);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Returns the task; `undefined` if the id is not one of this owner. Rejects as the state does, for an id that this replica cannot open. */
  async open(id: string, owner: string): Promise<ServerTask | undefined> {
    const known = this.#key && opened(id, owner, this.#key);
    return known ?? opened(id, owner, await this.refresh());
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
  const [server, tool, taskId] = textsOf(parseJson(text));
  if (server === undefined || tool === undefined || taskId === undefined) return undefined;
  return { server, tool, taskId };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

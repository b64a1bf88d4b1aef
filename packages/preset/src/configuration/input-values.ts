import { FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import type { InputQuestion, LoadedConfig } from '@mcp-fittings/config';
import { kindOf } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { openStore } from '../installed/credential-store.js';
import type { OpenHostOptions } from '../options.js';

type InputValuesOptions = Pick<OpenHostOptions, 'askInput' | 'store' | 'plaintextConsent'> & {
  readonly home: string;
};

/**
 * The values of inputs of entries: those of the credential store, or else what the user answers, which is then stored. A value belongs to
 * one entry, as its sign-in does, so that an entry that has changed is asked about again.
 */
export class InputValues {
  /** All values so far that were typed, to redact from what servers write. It grows. */
  readonly secrets: string[] = [];
  readonly #options: InputValuesOptions;
  /** Values that were read or asked in this process, by identity and ID: a question is not repeated when files are read again. */
  readonly #known = new Map<string, ReadonlyMap<string, string>>();
  readonly #refused = new Set<string>();
  #lacks = false;

  constructor(options: InputValuesOptions) {
    this.#options = options;
  }

  /** True if the user can be asked for a value that was missing when nothing was asked. */
  get lacks(): boolean {
    return this.#lacks && this.#options.askInput !== undefined;
  }

  /** Returns the value of the store. */
  async lookUp(question: InputQuestion): Promise<string | undefined> {
    const { identity, id, options, mayAsk } = question;
    const known = this.#known.get(identity) ?? (await this.#withStore((store) => read(store, identity)));
    this.#known.set(identity, known);
    const stored = known.get(id);
    // What was stored is asked for again when the file has other options.
    const value = options?.some((option) => option.value === stored) === false ? undefined : stored;
    if (value === undefined) this.#lacks ||= mayAsk;
    else this.#hide(value, question);
    return value;
  }

  /** Returns the value of the store, or asks for it. */
  async getOrAsk(question: InputQuestion): Promise<string | undefined> {
    const { identity, id, mayAsk } = question;
    const refusal = JSON.stringify([identity, id]);
    const known = await this.lookUp(question);
    if (known !== undefined || !mayAsk || this.#refused.has(refusal)) return known;
    const value: unknown = await this.#options.askInput?.(question);
    if (value === undefined || value === '') {
      this.#refused.add(refusal);
      return undefined;
    }
    if (typeof value !== 'string')
      throw new FittingsError('CALLBACK_FAILED', `\`askInput\` answered ${kindOf(value)}, not a string.`);
    this.#hide(value, question);
    const values = await this.#withStore((store) => add(store, identity, [id, value]));
    // A store in memory that was opened anew has no other value.
    this.#known.set(identity, new Map([...(this.#known.get(identity) ?? []), ...values]));
    return value;
  }

  /** Redacts a typed value. One that the file offers is not a secret, and may be a word of every output. */
  #hide(value: string, { options }: InputQuestion): void {
    if (options === undefined && !this.secrets.includes(value)) this.secrets.push(value);
  }

  async #withStore<T>(work: (store: TokenStore) => Promise<T>): Promise<T> {
    const { store, close } = openStore(this.#options);
    try {
      return await work(store);
    } finally {
      await close();
    }
  }
}

/** Removes the values of all inputs of a server: the next program that reads its file asks for them. */
export async function forgetInputs(
  store: TokenStore,
  { entries }: Pick<LoadedConfig, 'entries'>,
  server: string,
): Promise<void> {
  for (const { name, status, identity } of entries) {
    if (name === server && status !== 'replaced' && identity !== undefined)
      await store.delete(keyOf(identity));
  }
}

function keyOf(identity: string): string {
  return `inputs\n${identity}`;
}

async function read(store: TokenStore, identity: string): Promise<ReadonlyMap<string, string>> {
  const record = await store.get(keyOf(identity));
  const values = record?.['version'] === 1 && isRecord(record['values']) ? record['values'] : {};
  return new Map(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Another program may have stored the value of another input meanwhile. */
async function add(
  store: TokenStore,
  identity: string,
  value: readonly [id: string, value: string],
): Promise<ReadonlyMap<string, string>> {
  return store.withLock(keyOf(identity), async () => {
    const values = new Map([...(await read(store, identity)), value]);
    await store.set(keyOf(identity), { version: 1, values: Object.fromEntries(values) });
    return values;
  });
}

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { AuthRequiredError, ERROR_CODES, FittingsError, TransportError } from '@mcp-fittings/client-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Exports = Record<string, unknown>;
type ErrorClass = new (...args: unknown[]) => Error;

const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === 'function' && value.prototype instanceof Error;

describe('two copies of core in one program', () => {
  const folders: string[] = [];
  const copies: Exports[] = [];

  beforeAll(async () => {
    // A query string would give a second entry over the same inner modules; only files of their own are a copy.
    const dist = fileURLToPath(new URL('../dist', import.meta.url));
    for (let copy = 0; copy < 2; copy++) {
      const folder = await mkdtemp(join(tmpdir(), 'core-copy-'));
      folders.push(folder);
      await cp(dist, folder, { recursive: true });
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      copies.push((await import(/* @vite-ignore */ pathToFileURL(join(folder, 'index.js')).href)) as Exports);
    }
  });
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true });
  });

  it('every exported error class recognizes its errors from either copy, and so does its base class', () => {
    const seen = new Set<string>();
    for (const [index, one] of copies.entries()) {
      const other = copies[1 - index]!;
      for (const [name, made] of Object.entries(one)) {
        if (!isErrorClass(made)) continue;
        seen.add(name);
        const error = name === 'AuthRequiredError' ? new made('x') : new made('TIMEOUT', 'x');
        const theirs = other[name] as ErrorClass;
        expect(theirs).not.toBe(made);
        expect(error).toBeInstanceOf(theirs);
        expect(error).toBeInstanceOf(other['FittingsError'] as ErrorClass);
        expect(error).toBeInstanceOf(Error);
      }
    }
    expect([...seen].toSorted()).toEqual(['AuthRequiredError', 'FittingsError', 'TransportError']);
  });

  it('no class recognizes the errors of another', () => {
    const [one, other] = [copies[0]!, copies[1]!];
    const make = (name: string): Error => {
      const made = one[name] as ErrorClass;
      return name === 'AuthRequiredError' ? new made('x') : new made('TIMEOUT', 'x');
    };
    const is = (error: string, of: string): boolean => make(error) instanceof (other[of] as ErrorClass);
    expect(is('TransportError', 'AuthRequiredError')).toBe(false);
    expect(is('AuthRequiredError', 'TransportError')).toBe(false);
    expect(is('FittingsError', 'TransportError')).toBe(false);
    for (const stranger of [new Error('x'), null, undefined, 'x', {}, { code: 'TIMEOUT' }]) {
      expect(stranger instanceof (other['FittingsError'] as ErrorClass)).toBe(false);
    }
  });
});

describe('FittingsError', () => {
  it('a derived class recognizes only its own errors, not all of its base class', () => {
    class Mine extends TransportError {}
    const mine = new Mine('TIMEOUT', 'x');
    expect(mine).toBeInstanceOf(Mine);
    expect(mine).toBeInstanceOf(TransportError);
    expect(new TransportError('TIMEOUT', 'x')).not.toBeInstanceOf(Mine);
  });

  it('takes kind and retryability from its code, unless told otherwise', () => {
    expect(new FittingsError('TIMEOUT', 'x')).toMatchObject({ kind: 'network-temporary', retryable: true });
    const special = new FittingsError('TIMEOUT', 'x', { kind: 'config', retryable: false });
    expect(special).toMatchObject({ kind: 'config', retryable: false, details: {}, delivery: undefined });
  });

  it('keeps its cause, and does not have a cause otherwise', () => {
    const cause = new Error('inner');
    expect(new FittingsError('TIMEOUT', 'x', { cause }).cause).toBe(cause);
    expect('cause' in new FittingsError('TIMEOUT', 'x')).toBe(false);
  });

  it('has the name of its class, in `name` and in the stack', () => {
    for (const [error, name] of [
      [new FittingsError('TIMEOUT', 'x'), 'FittingsError'],
      [new TransportError('TIMEOUT', 'x'), 'TransportError'],
      [new AuthRequiredError('x'), 'AuthRequiredError'],
    ] as const) {
      expect(error.name).toBe(name);
      expect(inspect(error)).toMatch(new RegExp(`^${name}: x`));
    }
  });

  it('does not show the refused credentials when it is inspected or serialized', () => {
    const refused = 'Bearer canary-token';
    const challenge = { url: new URL('https://a.example'), status: 401, refused } as const;
    const error = new AuthRequiredError('Sign in.', { challenge });
    expect(error.challenge).toBe(challenge);
    expect(`${inspect(error, { depth: 9 })}${JSON.stringify(error)}${String(error.stack)}`).not.toContain(
      'canary',
    );
    expect(Object.keys(error)).not.toContain('challenge');
  });
});

describe('ERROR_CODES', () => {
  it.each(Object.entries(ERROR_CODES))('%s has a kind, and may be retryable', (code, { kind, retryable }) => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    expect(['network-temporary', 'network-permanent', 'config', 'auth', 'protocol', 'unknown']).toContain(
      kind,
    );
    if (kind === 'config' || kind === 'network-permanent') expect(retryable).toBe(false);
    if (kind === 'network-temporary') expect(retryable).toBe(true);
  });

  it('has only codes of kind auth for a credential store, as the contract of TokenStore says', () => {
    const codes = Object.entries(ERROR_CODES).filter(([code]) => code.startsWith('STORE_'));
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter(([, { kind }]) => kind !== 'auth')).toEqual([]);
  });

  it('has kinds that are all in the table of the README', async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
    const kinds = new Set(Object.values(ERROR_CODES).map(({ kind }) => kind));
    for (const kind of [...kinds, 'not-sent', 'rejected', 'unknown'])
      expect(readme).toContain(`| \`${kind}\``);
  });
});

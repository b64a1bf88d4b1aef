import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, TokenStore } from '@mcp-fittings/client-core';
import { oauth } from '@mcp-fittings/auth-oauth';
import { diagnose, type DiagnoseOptions, type Diagnosis } from '@mcp-fittings/cli';
import { loadServers } from '@mcp-fittings/preset/toolkit';
import { openConfigured } from '../../../preset/test/support/workspace.js';

export interface DiagnosingOptions {
  /** The server that is asked about. Default `planted`, the one of the entry. */
  readonly ask?: string;
  readonly timeoutMs?: number;
  readonly cwd?: string;
  readonly home?: string;
  /** Default: that of the session. */
  readonly store?: TokenStore;
  /** Default: OAuth with that store. */
  readonly auth?: DiagnoseOptions['auth'];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  readonly searchPath?: DiagnoseOptions['searchPath'];
}

/** Diagnoses one entry, all parts being real; without one, what the files of `cwd` say. */
export async function diagnoseEntry(entry: unknown, options: DiagnosingOptions = {}): Promise<Diagnosis> {
  const { ask = 'planted', timeoutMs = 5_000, store, clock, env = {} } = options;
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'fittings-home-')));
  const given = entry === undefined ? [] : [JSON.stringify({ mcpServers: { planted: entry } })];
  const session = await openConfigured({
    cwd: options.cwd ?? home,
    home,
    env,
    mcpConfig: given,
    strictMcpConfig: entry !== undefined,
    store: 'memory',
  });
  try {
    return await diagnose(ask, {
      loaded: session.loaded,
      transports: session.transports,
      auth:
        options.auth ??
        (store === undefined ? session.auth : async () => [oauth({ store, clientName: 'doctor' })]),
      store: store ?? session.store,
      timeoutMs,
      env,
      clock,
      searchPath: options.searchPath,
    });
  } finally {
    await session[Symbol.asyncDispose]();
    if (options.home === undefined) await rm(home, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** The identity of an entry of the command line: its sign-in belongs to that. */
export async function identityOf(entry: unknown, name = 'planted'): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'fittings-home-'));
  const mcpConfig = [JSON.stringify({ mcpServers: { [name]: entry } })];
  const places = { cwd: home, home, env: {}, strictMcpConfig: true };
  const { loaded } = await loadServers({ ...places, mcpConfig });
  await rm(home, { recursive: true, force: true, maxRetries: 10 });
  return loaded.entries[0]?.identity ?? '';
}

/** `check CODE` of all findings, in their order. */
export function codesOf({ checks }: Diagnosis): readonly string[] {
  return checks.flatMap(({ check, findings }) => findings.map(({ code }) => `${check} ${code}`));
}

import type {
  AuthProvider,
  Clock,
  Logger,
  ServerConfig,
  TokenStore,
  TransportPlugin,
} from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { LoadedConfig } from '@mcp-fittings/config';
import type { ConfiguredHost, LoadedServers } from '@mcp-fittings/preset/toolkit';
import { findEntry } from '../session/resolve-server.js';
import { checkApproval, checkConfig } from './check-entry.js';
import { checkLocalProcess } from './check-local-process.js';
import { checkRemote } from './check-remote.js';
import { attemptConnection, toFittingsError } from './connect-attempt.js';
import { findingFromError } from './error-findings.js';
import { type CheckResult, type Diagnosis, createResult } from './findings.js';

/**
 * Options of {@link diagnose}. Together, the results of `loadServers()` and `createConfiguredHost()` of
 * `@mcp-fittings/preset/toolkit` have what is required.
 */
export interface DiagnoseOptions {
  /** The configuration with the server. */
  readonly loaded: LoadedConfig;
  /** Transports that entries may name. */
  readonly transports: readonly TransportPlugin[];
  /** Returns the sign-in schemes of an entry, in the order in which they are tried. */
  readonly auth: ConfiguredHost['auth'];
  /** Store with the credentials of earlier sign-ins. */
  readonly store: TokenStore;
  /** Source of the PATH of local servers, to say so. Default: that of this program, which is not mentioned. */
  readonly searchPath?: LoadedServers['searchPath'];
  /** Environment in which proxy variables are looked up. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Time limit of each connection, in milliseconds. Default: 15 000. */
  readonly timeoutMs?: number | undefined;
  /** Source of time and timers. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
  /** Receives log messages of transports and sign-in schemes. Default: none. */
  readonly logger?: Logger | undefined;
  /** Aborts the diagnosis. Default: never. */
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 15_000;

/**
 * Finds out why a server cannot be used. It checks what a connection depends on, in order, and returns what is wrong and
 * how to fix it. It starts or contacts the server once, and never one that is not approved; it shows no prompts.
 * Problems of the server are in the result; the promise does not reject because of them.
 *
 * @example
 * ```ts
 * const servers = await loadServers({ store: 'memory' });
 * const configured = await createConfiguredHost(servers, { name: 'my-agent', version: '1.0.0', store: 'memory' });
 * const { healthy, findings } = await diagnose('github', { ...servers, ...configured });
 * for (const { code, message, fix } of findings) console.log(code, message, fix);
 * ```
 */
export async function diagnose(server: string, options: DiagnoseOptions): Promise<Diagnosis> {
  const checks = latest(await checksOf(server, options));
  const findings = checks.flatMap((check) => check.findings);
  return { server, healthy: !findings.some(({ severity }) => severity === 'error'), checks, findings };
}

async function checksOf(server: string, options: DiagnoseOptions): Promise<readonly CheckResult[]> {
  const config = checkConfig(options.loaded, server);
  const entry = findEntry(options.loaded, server);
  if (entry === undefined) return [config];
  if (config.outcome === 'failed' && entry.status !== 'denied') return [config];
  const approval = checkApproval(entry);
  const { config: used, identity } = entry;
  if (used === undefined || identity === undefined || approval.outcome === 'failed')
    return [config, approval];
  return [config, approval, ...(await checkConnection(server, used, identity, options))];
}

async function checkConnection(
  server: string,
  config: ServerConfig,
  identity: string,
  options: DiagnoseOptions,
): Promise<readonly CheckResult[]> {
  const { clock = systemClock, logger, signal = new AbortController().signal, env = process.env } = options;
  const { transports, store, timeoutMs = TIMEOUT_MS } = options;
  let auth: AuthProvider | undefined;
  let scheme: string | undefined;
  try {
    for (const plugin of await options.auth(config)) {
      if (auth !== undefined) break;
      auth = plugin.create({ name: server, config, identity }, { logger, clock });
      scheme = plugin.scheme;
    }
  } catch (error) {
    return [createResult('config', '', [findingFromError(toFittingsError(error)).finding])];
  }
  const attempt = { server, config, transports, auth, timeoutMs, clock, logger, signal };
  if (typeof config['url'] === 'string') {
    // Only OAuth keeps its tokens in this store. Errors of other schemes say what is wrong.
    const signIn = auth !== undefined && scheme === 'oauth' ? { store, identity } : undefined;
    return checkRemote({ ...attempt, env, signIn });
  }
  return checkLocalProcess(await attemptConnection(attempt), options.searchPath);
}

/** Keeps the last result of each check: a later step may have learned more. */
function latest(checks: readonly CheckResult[]): readonly CheckResult[] {
  return [...new Map(checks.map((result) => [result.check, result])).values()];
}

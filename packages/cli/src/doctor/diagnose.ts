import type {
  AuthPlugin,
  AuthProvider,
  Clock,
  Logger,
  ServerConfig,
  TokenStore,
  TransportPlugin,
} from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/client-core/timing';
import type { LoadedConfig } from '@mcp-fittings/config';
import type { Engine } from '@mcp-fittings/host';
import { checkApproval, checkConfig, entryOf } from './checks/entry.js';
import { checkLocalProcess } from './checks/local-process.js';
import { checkRemote } from './checks/remote.js';
import { attemptConnection, ours } from './connect-attempt.js';
import type { CheckResult, Diagnosis } from './diagnosis.js';
import { findingOfError } from './finding-of-error.js';
import { checked } from './finding.js';

/** The parts that a host would use; a session has all of them but the engine. */
export interface DiagnoseOptions {
  readonly loaded: LoadedConfig;
  readonly engine: Engine;
  readonly transports: readonly TransportPlugin[];
  readonly auth: readonly AuthPlugin[];
  /** Where a sign-in is kept. */
  readonly store: TokenStore;
  /** Where proxies are looked for. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** For each connection, milliseconds. Default 15 000. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 15_000;

/**
 * Finds out why a server cannot be used, or that it can: goes through what a connection depends on in its order and names
 * what is wrong, with the fix. It starts the server, or connects to it, once, and asks nobody anything. Nothing that no
 * person has approved is started or contacted. Does not reject for what is wrong with a server.
 */
export async function diagnose(server: string, options: DiagnoseOptions): Promise<Diagnosis> {
  const checks = latest(await checksOf(server, options));
  const findings = checks.flatMap((check) => check.findings);
  return { server, healthy: !findings.some(({ severity }) => severity === 'error'), checks, findings };
}

async function checksOf(server: string, options: DiagnoseOptions): Promise<readonly CheckResult[]> {
  const config = checkConfig(options.loaded, server);
  const entry = entryOf(options.loaded, server);
  if (entry === undefined) return [config];
  if (config.outcome === 'failed' && entry.status !== 'denied') return [config];
  const approval = checkApproval(entry);
  if (entry.config === undefined || approval.outcome === 'failed') return [config, approval];
  return [
    config,
    approval,
    ...(await checkConnection(server, entry.config, entry.identity ?? entry.id, options)),
  ];
}

async function checkConnection(
  server: string,
  config: ServerConfig,
  identity: string,
  options: DiagnoseOptions,
): Promise<readonly CheckResult[]> {
  const { clock = systemClock, logger, signal = new AbortController().signal, env = process.env } = options;
  const { engine, transports, store, timeoutMs = TIMEOUT_MS } = options;
  let auth: AuthProvider | undefined;
  let scheme: string | undefined;
  try {
    for (const plugin of options.auth) {
      if (auth !== undefined) break;
      auth = plugin.create({ name: server, config, identity }, { logger, clock });
      scheme = plugin.scheme;
    }
  } catch (error) {
    return [checked('config', '', [findingOfError(ours(error)).finding])];
  }
  const attempt = { server, config, transports, auth, engine, timeoutMs, clock, logger, signal };
  if (typeof config['url'] === 'string') {
    // Other schemes keep other things, and tell what is wrong with them in their errors.
    const signIn = auth !== undefined && scheme === 'oauth' ? { store, identity } : undefined;
    return checkRemote({ ...attempt, env, signIn });
  }
  return checkLocalProcess(await attemptConnection(attempt));
}

/** What a later step learned of an earlier one counts. */
function latest(checks: readonly CheckResult[]): readonly CheckResult[] {
  return [...new Map(checks.map((result) => [result.check, result])).values()];
}

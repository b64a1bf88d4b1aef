import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import {
  type Clock,
  FittingsError,
  type Logger,
  type ServerConfig,
  TransportError,
} from '@mcp-fittings/client-core';
import {
  bareHost,
  type CheckedHttpServer,
  checkHttpOptions,
  chooseProxy,
  httpEntryFields,
  originOf,
  toHttpClientOptions,
} from '@mcp-fittings/toolbox/connect';
import { entrySchema } from '@mcp-fittings/toolbox/entries';
import { createLifetime } from '@mcp-fittings/toolbox/timing';
import { type HttpClientOptions, type ResponseHead, createHttpClient } from '@mcp-fittings/http-client';
import { CommandError } from '../output/hints.js';
import { findingFromError } from './error-findings.js';
import { type CheckResult, createResult, createFinding } from './findings.js';

export interface NetworkPathOptions {
  readonly server: string;
  readonly config: ServerConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** The checks of the network path, and what later checks need. */
export interface NetworkPath {
  readonly checks: readonly CheckResult[];
  /** Head of the response to a plain GET; undefined if the server was not reached, or need not answer a GET. */
  readonly head: ResponseHead | undefined;
  /** Options to send more requests; undefined if the server was not reached. */
  readonly network: HttpClientOptions | undefined;
}

/** Checks the network path to the server: host name, proxy, connection, TLS. It sends no MCP messages. */
export async function checkNetworkPath(options: NetworkPathOptions): Promise<NetworkPath> {
  let network: HttpClientOptions;
  let checked: CheckedHttpServer;
  let proxy: URL | undefined;
  try {
    network = networkOf(options);
    checked = checkHttpOptions({ ...network, logger: undefined });
    proxy = chooseProxy(checked.url, checked.proxy);
  } catch (error) {
    return { checks: [failed(error)], head: undefined, network: undefined };
  }
  const { url, shown, socketPath } = checked;
  // A WebSocket server need not answer a GET.
  const isWebSocket = /^wss?:/i.test(String(options.config['url'])) || options.config.type === 'ws';
  const before: CheckResult[] = [];
  // A Unix socket or a named pipe has no host name, proxy or TLS.
  if (socketPath === undefined) {
    const dns = await checkName(proxy ?? url, proxy !== undefined);
    if (dns.outcome === 'failed') return { checks: [dns], head: undefined, network: undefined };
    before.push(dns, createResult('proxy', proxy === undefined ? 'direct' : `through ${proxy.host}`));
  }
  if (isWebSocket) return { checks: before, head: undefined, network };
  before.push(createResult('connect', socketPath === undefined ? url.host : originOf(shown)));
  try {
    const head = await headOf(network, url);
    const isTls = url.protocol === 'https:';
    const tls = isTls ? [createResult('tls', 'the certificate is valid')] : [];
    return { checks: [...before, ...tls], head, network };
  } catch (error) {
    const failure = failed(error);
    const at = before.findIndex(({ check }) => check === failure.check);
    return {
      checks: [...(at === -1 ? before : before.slice(0, at)), failure],
      head: undefined,
      network: undefined,
    };
  }
}

/** Builds the options that the transport would use. A WebSocket connection begins with HTTP too. */
function networkOf({ server, config, env, timeoutMs, clock, logger }: NetworkPathOptions): HttpClientOptions {
  const result = entrySchema(httpEntryFields())['~standard'].validate(config);
  if (result.issues !== undefined) {
    const [issue] = result.issues;
    const field = issue?.path?.map(String).join('.') ?? '';
    throw new CommandError('CONFIG_INVALID', `"${field}" ${issue?.message ?? 'is invalid'}.`, { server });
  }
  const { timeouts, ...rest } = toHttpClientOptions(result.value, { server, clock, logger });
  const url = String(rest.url).replace(/^ws(s?:)/i, 'http$1');
  return {
    ...rest,
    url,
    env,
    timeouts: { connectMs: timeouts?.connectMs ?? timeoutMs, headersMs: timeoutMs },
  };
}

async function checkName(url: URL, isProxy: boolean): Promise<CheckResult> {
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0) return createResult('dns', host);
  try {
    const found = await lookup(host, { all: true });
    return createResult('dns', `${host} resolves to ${found.map(({ address }) => address).join(', ')}`);
  } catch (cause) {
    const what = isProxy ? 'of the proxy ' : '';
    const isAway = cause instanceof Error && 'code' in cause && cause.code === 'EAI_AGAIN';
    const message = `Could not resolve the host name ${what}${host}${isAway ? ': no DNS server responds' : ''}.`;
    const error = new TransportError('HOST_NOT_FOUND', message, { cause });
    return createResult('dns', '', [createFinding('HOST_NOT_FOUND', message, { error })]);
  }
}

async function headOf(options: HttpClientOptions, url: URL): Promise<ResponseHead> {
  const network = createHttpClient(options);
  const headers = { accept: 'application/json, text/event-stream' };
  try {
    // The rest of the body is not needed.
    const reply = await network.send({ url, method: 'GET', headers }, createLifetime(), () => 'discard');
    if (reply?.accepted !== true) throw new Error('A reply of any status is accepted.');
    return reply.head;
  } finally {
    await network.close();
  }
}

function failed(error: unknown): CheckResult {
  if (!(error instanceof FittingsError)) throw error;
  const placed = findingFromError(error);
  // A timeout before any response belongs to the connection.
  const check = error.code === 'TIMEOUT' ? 'connect' : placed.check;
  return createResult(check, '', [placed.finding]);
}

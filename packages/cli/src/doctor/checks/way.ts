import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import {
  FittingsError,
  TransportError,
  type Clock,
  type Logger,
  type ServerConfig,
} from '@mcp-fittings/client-core';
import { bareHost, chooseProxy } from '@mcp-fittings/remote-policy';
import {
  createHttpClient,
  httpEntryFields,
  toHttpClientOptions,
  type HttpClientOptions,
  type ResponseHead,
} from '@mcp-fittings/http-client';
import { entrySchema } from '@mcp-fittings/client-core/transport';
import type { CheckResult } from '../diagnosis.js';
import { findingOfError } from '../finding-of-error.js';
import { checked, finding } from '../finding.js';

export interface WayOptions {
  readonly server: string;
  readonly config: ServerConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** What was seen on the way to the server. */
export interface Way {
  readonly checks: readonly CheckResult[];
  /** How the server answered a plain GET; undefined when the way ends before it, or the server need not answer one. */
  readonly head: ResponseHead | undefined;
  /** For whatever else is asked of it; undefined when the way ends before the server. */
  readonly network: HttpClientOptions | undefined;
}

/** Goes to the server step by step: its name, the proxy, the connection, TLS. Nothing of MCP is said. */
export async function checkWay(options: WayOptions): Promise<Way> {
  let network: HttpClientOptions;
  let proxy: URL | undefined;
  try {
    network = networkOf(options);
    proxy = chooseProxy(new URL(network.url), { proxy: network.proxy ?? 'env', env: options.env });
  } catch (error) {
    return { checks: [failed(error)], head: undefined, network: undefined };
  }
  const url = new URL(network.url);
  const dns = await checkName(proxy ?? url, proxy !== undefined);
  if (dns.outcome === 'failed') return { checks: [dns], head: undefined, network: undefined };
  const way = proxy === undefined ? 'direct' : `through ${proxy.host}`;
  if (/^wss?:/i.test(String(options.config['url']))) {
    // What speaks WebSocket need not answer anything else; the connection itself will tell.
    return { checks: [dns, checked('proxy', way)], head: undefined, network };
  }
  try {
    const head = await headOf(network);
    const isTls = url.protocol === 'https:';
    return {
      checks: [
        dns,
        checked('proxy', way),
        checked('connect', url.host),
        ...(isTls ? [checked('tls', 'the certificate is valid')] : []),
      ],
      head,
      network,
    };
  } catch (error) {
    const failure = failed(error);
    const before = [dns, checked('proxy', way), checked('connect', url.host)];
    const at = before.findIndex(({ check }) => check === failure.check);
    return {
      checks: [...(at === -1 ? before : before.slice(0, at)), failure],
      head: undefined,
      network: undefined,
    };
  }
}

/** As the transport would do it, which for WebSocket begins with HTTP too. */
function networkOf({ server, config, env, timeoutMs, clock, logger }: WayOptions): HttpClientOptions {
  const result = entrySchema(httpEntryFields)['~standard'].validate(config);
  if (result.issues !== undefined) {
    const [issue] = result.issues;
    const field = issue?.path?.map(String).join('.') ?? '';
    throw new FittingsError('CONFIG_INVALID', `"${field}" ${issue?.message ?? 'is invalid'}.`, { server });
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
  if (isIP(host) !== 0) return checked('dns', host);
  try {
    const found = await lookup(host, { all: true });
    return checked('dns', `${host} is ${found.map(({ address }) => address).join(', ')}`);
  } catch (cause) {
    const what = isProxy ? 'of the proxy ' : '';
    const isAway = cause instanceof Error && 'code' in cause && cause.code === 'EAI_AGAIN';
    const message = `Could not resolve the host name ${what}${host}${isAway ? ': no DNS server responds' : ''}.`;
    const error = new TransportError('HOST_NOT_FOUND', message, { cause });
    return checked('dns', '', [finding('HOST_NOT_FOUND', message, { error })]);
  }
}

function headOf(options: HttpClientOptions): Promise<ResponseHead> {
  const network = createHttpClient(options);
  const headers = { accept: 'application/json, text/event-stream' };
  return new Promise<ResponseHead>((resolve, reject) => {
    const exchange = network.exchange(
      { url: new URL(options.url), method: 'GET', headers },
      {
        onHeaders(head) {
          resolve(head);
          // An event stream would not end by itself.
          queueMicrotask(() => exchange.abort());
        },
        onData: () => undefined,
        onEnd: () => undefined,
        onError: reject,
      },
    );
  }).finally(() => network.close());
}

function failed(error: unknown): CheckResult {
  if (!(error instanceof FittingsError)) throw error;
  const placed = findingOfError(error);
  // A time-out before there was any answer is one of the connection.
  const check = error.code === 'TIMEOUT' ? 'connect' : placed.check;
  return checked(check, '', [placed.finding]);
}

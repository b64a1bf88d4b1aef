import { FittingsError, isRecord } from '@mcp-fittings/client-core/transport';

/** The part of `RequestInit` that the HTTP transports take, as in the official SDKs. */
export interface RequestInitOptions {
  /** A plain object, pairs, or `Headers`. */
  readonly headers?:
    Readonly<Record<string, string | readonly string[]>> | Iterable<readonly string[]> | undefined;
}

/** Options that only the official SDKs have, and what to do instead: for the hint of the error. */
export const SDK_ONLY_OPTIONS: Readonly<Record<string, string>> = {
  authProvider:
    'Pass `auth`: createOAuthProvider({ url }) of "@mcp-fittings/auth-oauth" signs in, createBearerProvider({ url, token }) sends a token. A provider class of your own works with the transport of the SDK only.',
  fetch:
    'Pass `network` for a proxy, certificates, time limits and name resolution. A fetch function cannot be passed.',
  redirectPolicy: 'Leave it out: redirects are followed within the origin of `url` only.',
  skipIssuerMetadataValidation: 'Leave it out: `auth` always checks the issuer.',
};

/** The arguments of `create…Transport(url, options)` or `create…Transport({ url, … })` as one object. Throws `CONFIG_INVALID`. */
export function withUrl<Options extends { readonly url: string | URL }>(
  first: string | URL | Options,
  rest: Omit<Options, 'url'>,
): Options | (Omit<Options, 'url'> & { readonly url: string | URL }) {
  if (typeof first !== 'string' && !(first instanceof URL)) {
    if (isRecord(first)) return first;
    throw new FittingsError('CONFIG_INVALID', 'The URL of the server is missing.', {
      hint: 'Pass it as the first argument, or an object with `url`.',
      delivery: 'not-sent',
    });
  }
  return { ...rest, url: first };
}

/**
 * The configured headers together with those of `requestInit`; `headers` wins. Throws `CONFIG_INVALID` for another member of
 * `requestInit`, and for an option that is in `sdkOnly` (its names, and what to do instead).
 */
export function headersOfOptions(
  options: {
    readonly server?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly requestInit?: RequestInitOptions | undefined;
  },
  sdkOnly: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { server, headers = {}, requestInit = {} } = options;
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || !Object.hasOwn(sdkOnly, name)) continue;
    throw refused(name, sdkOnly[name], server);
  }
  for (const [name, value] of Object.entries(requestInit)) {
    if (value === undefined || name === 'headers') continue;
    throw refused(
      `requestInit.${name}`,
      'Of `requestInit` only `headers` is taken. Pass `signal` to close the transport, `network` for a proxy, certificates and time limits.',
      server,
    );
  }
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const added = new Map<string, { readonly name: string; readonly value: string }>();
  for (const [name, value] of pairsOf(requestInit.headers ?? {})) {
    const lower = name.toLowerCase();
    const earlier = added.get(lower);
    if (own.has(lower)) continue;
    added.set(lower, earlier === undefined ? { name, value } : { name, value: `${earlier.value}, ${value}` });
  }
  return { ...headers, ...Object.fromEntries([...added.values()].map((each) => [each.name, each.value])) };
}

type Pairs = Iterable<readonly string[]>;

function* pairsOf(headers: NonNullable<RequestInitOptions['headers']>): Generator<readonly [string, string]> {
  if (isIterable(headers)) {
    for (const [name = '', value = ''] of headers) yield [name, value];
    return;
  }
  for (const [name, values] of Object.entries(headers)) {
    for (const value of typeof values === 'string' ? [values] : values) yield [name, value];
  }
}

function isIterable(headers: object): headers is Pairs {
  return Symbol.iterator in headers;
}

function refused(name: string, hint: string | undefined, server: string | undefined): FittingsError {
  return new FittingsError(
    'CONFIG_INVALID',
    `\`${name}\` is an option of the official SDK, not of this transport.`,
    {
      server,
      hint,
      delivery: 'not-sent',
    },
  );
}

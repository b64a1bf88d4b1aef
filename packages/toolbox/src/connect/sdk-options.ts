import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '../messages.js';

/** The part of `RequestInit` that the HTTP transports accept, for programs that move from the official SDK. */
export interface RequestInitOptions {
  /** Headers to send: an object, name-value pairs, or a `Headers` object. Default: none. */
  readonly headers?:
    Readonly<Record<string, string | readonly string[]>> | Iterable<readonly string[]> | undefined;
}

/** Options that only the official SDK has, each with the hint that says what to use instead. */
export const SDK_ONLY_OPTIONS: Readonly<Record<string, string>> = {
  authProvider:
    'Pass `auth`: createOAuthProvider({ url }) of "@mcp-fittings/auth-oauth" signs in, createBearerProvider({ url, token }) sends a token. A provider class of your own works with the transport of the SDK only.',
  fetch:
    'Pass `network` for a proxy, certificates, time limits and name resolution. A fetch function cannot be passed.',
  redirectPolicy: 'Leave it out: redirects are followed within the origin of `url` only.',
  skipIssuerMetadataValidation: 'Leave it out: `auth` always checks the issuer.',
};

/**
 * Returns the arguments of `create…Transport(url, options)` or `create…Transport({ url, … })` as one object. Throws
 * `CONFIG_INVALID` if the first argument is neither a URL nor an object.
 */
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
 * Returns the configured headers together with those of `requestInit`; if both have a name, `headers` wins. Throws
 * `CONFIG_INVALID` for another member of `requestInit` and for an option of the official SDK.
 *
 * @param sdkOnly Names of options that only the official SDK has, each with the hint for the error.
 */
export function collectHeaders(
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
      'Only `headers` of `requestInit` is supported. Pass `signal` to close the transport, and `network` for a proxy, certificates and time limits.',
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

import { createRedactor, isRecord, type Redactor } from '@mcp-fittings/client-core/transport';

/**
 * What of a request a server may repeat and an error must not show: whole header values, what follows the scheme of a
 * credential, both halves of `Basic` credentials, the values of cookies, and the values in the query of the URL.
 */
function secretsOf(headers: Readonly<Record<string, string>>, url?: URL): readonly string[] {
  const secrets = url === undefined ? [] : [...url.searchParams.values()];
  for (const [name, value] of Object.entries(headers)) {
    if (PUBLIC.has(name.toLowerCase())) continue;
    secrets.push(value, value.slice(value.indexOf(' ') + 1), value.slice(value.lastIndexOf(' ') + 1));
    if (/^basic /i.test(value)) secrets.push(...halvesOf(value.slice('basic '.length).trim()));
    if (name.toLowerCase() === 'cookie') {
      for (const cookie of value.split(';')) secrets.push(cookie.slice(cookie.indexOf('=') + 1).trim());
    }
  }
  return secrets.filter((secret) => secret !== '');
}

/** The transports set them; their values are words that a text may hold by chance. */
const PUBLIC: ReadonlySet<string> = new Set([
  'accept',
  'cache-control',
  'content-type',
  'mcp-method',
  'mcp-protocol-version',
  'user-agent',
]);

function halvesOf(base64: string): readonly string[] {
  const pair = Buffer.from(base64, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? [] : [pair, pair.slice(0, colon), pair.slice(colon + 1)];
}

/** Knows what one connection has sent that a server may repeat and an error must not show. */
export interface RequestRedactor {
  readonly redact: Redactor;
  /** Headers of a request, and its URL, are about to be sent. */
  learn(headers: Readonly<Record<string, string>>, url?: URL): void;
  /** One value of a header is about to be sent. */
  learnValue(value: string): void;
}

/** Tokens change; what was sent long ago is no longer repeated. */
const KEPT = 64;

/** Starts with what every request of the connection carries. */
export function createRequestRedactor(headers: Readonly<Record<string, string>>, url?: URL): RequestRedactor {
  const always = secretsOf(headers, url);
  const learned = new Set<string>();
  let redactor: Redactor | undefined;
  const learnValue = (secret: string): void => {
    if (learned.has(secret)) return;
    learned.add(secret);
    redactor = undefined;
    if (learned.size > KEPT) learned.delete(learned.values().next().value ?? '');
  };
  return {
    // Made when an error needs it: most connections never do.
    redact(text, cut) {
      redactor ??= createRedactor([...always, ...learned]);
      return redactor(text, cut);
    },
    learn(sent, to) {
      for (const secret of secretsOf(sent, to)) learnValue(secret);
    },
    learnValue,
  };
}

/** A JSON-RPC error as it came, without our secrets in its message: it becomes the message of an error. */
export function redactRpcError(value: unknown, redact: Redactor): unknown {
  if (!isRecord(value) || !isRecord(value['error'])) return value;
  const { error } = value;
  if (typeof error['message'] !== 'string') return value;
  const message = redact(error['message']);
  return message === error['message'] ? value : { ...value, error: { ...error, message } };
}

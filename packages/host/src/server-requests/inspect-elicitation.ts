import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { ElicitationRequest } from '../contracts/server-requests.js';
import { namesSecret } from './secret-words.js';

/**
 * Adds warnings to a request: reasons to distrust it, for the user. Throws `PROTOCOL_VIOLATION` for a URL that is not http or
 * https.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#security-considerations
 */
export function inspectElicitation(request: ElicitationRequest): ElicitationRequest {
  return request.mode === 'form'
    ? { ...request, warnings: formWarnings(request.message, request.schema) }
    : { ...request, warnings: urlWarnings(request.url) };
}

/** Most characters of one request that are searched. A form for people has a few hundred. */
const MAX_CHARACTERS = 200_000;
/** Cost of a value that is short or not a text, in characters. */
const LEAST_COST = 20;
/** Most suspicious fields that are named; further ones are counted. */
const MAX_NAMED = 20;

function formWarnings(message: string, schema: Readonly<Record<string, unknown>>): readonly string[] {
  const texts = new Texts();
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const suspicious: string[] = [];
  for (const [name, property] of Object.entries(properties)) {
    if (texts.exhausted) break;
    if (isSecretField(name, property, texts)) suspicious.push(`"${sanitizeText(name, { maxLength: 100 })}"`);
  }
  const named = suspicious
    .slice(0, MAX_NAMED)
    .map((name) => `${name} looks like a secret, which a server must not ask for in a form`);
  const more = suspicious.length - named.length;
  const around = [message, schema['title'], schema['description']];
  return [
    ...named,
    ...(more > 0 ? [`${more} more fields look like secrets`] : []),
    ...(around.some((text) => texts.nameSecret(text))
      ? ['the message mentions a secret, which a server must not ask for in a form']
      : []),
    ...(texts.exhausted ? ['the form is too long to be searched for requests for secrets'] : []),
  ];
}

/** Checks the name of a field, its descriptions, and its choices. */
function isSecretField(name: string, property: unknown, texts: Texts): boolean {
  if (texts.nameSecret(name)) return true;
  if (!isRecord(property) || texts.exhausted) return false;
  if (property['format'] === 'password' || property['writeOnly'] === true) return true;
  return containsSecret(property, 0, texts);
}

const DEEPEST = 6;

/** Searches the texts in a value, as far as `texts` allows. */
function containsSecret(value: unknown, depth: number, texts: Texts): boolean {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return texts.nameSecret(value);
  texts.nameSecret(undefined);
  if (!Array.isArray(value))
    return Object.values(value).some(
      (member) => !texts.exhausted && containsSecret(member, depth + 1, texts),
    );
  for (let index = 0; index < value.length && !texts.exhausted; index++) {
    if (containsSecret(value[index], depth + 1, texts)) return true;
  }
  return false;
}

/** Searches the texts of one request, up to {@link MAX_CHARACTERS}. */
class Texts {
  /** True if some texts were not searched. */
  exhausted = false;
  #left = MAX_CHARACTERS;

  /** Returns whether a value is a text that asks for a secret. */
  nameSecret(value: unknown): boolean {
    const text = typeof value === 'string' ? value : '';
    const searched = text.slice(0, Math.max(0, this.#left));
    this.#left -= Math.max(LEAST_COST, searched.length);
    if (searched.length < text.length || this.#left <= 0) this.exhausted = true;
    return searched !== '' && namesSecret(searched);
  }
}

function urlWarnings(text: string): readonly string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new FittingsError(
      'PROTOCOL_VIOLATION',
      'The server requested to open a URL that is not http or https.',
    );
  }
  const warnings: string[] = [];
  if (url.protocol === 'http:') warnings.push('the connection is not encrypted');
  if (url.username !== '' || url.password !== '') warnings.push('the address contains a user name');
  if (/(^|\.)xn--/.test(url.hostname))
    warnings.push('the host name has characters that may imitate another name');
  if (isPrivateHost(url.hostname)) warnings.push('the address is on this machine or in a private network');
  return warnings;
}

/** Endings that only names of private networks have, and a name without an ending. `internal` is also that of the metadata of clouds. */
const PRIVATE_NAME =
  /^[^.:]+$|\.(?:localhost|local|localdomain|internal|intranet|private|corp|home|home\.arpa|lan|fritz\.box)$|^fritz\.box$/;
const PRIVATE_V4 =
  /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|192\.0\.0|198\.1[89]|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
/** Loopback, unique local, link-local and site-local ones, and IPv4 addresses within IPv6. */
const PRIVATE_V6 = /^\[(?:::1?\]|f[cd]|fe[89a-f]|::ffff:|64:ff9b:)/;

function isPrivateHost(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return name.startsWith('[') ? PRIVATE_V6.test(name) : PRIVATE_V4.test(name) || PRIVATE_NAME.test(name);
}

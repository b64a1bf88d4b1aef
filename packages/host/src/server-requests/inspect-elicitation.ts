import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/client-core/text';
import type { ElicitationRequest } from '../contracts/server-requests.js';
import { namesSecret } from './secret-words.js';

/**
 * The request with reasons to distrust it, for the person who is asked. Throws `PROTOCOL_VIOLATION` for a URL that no
 * browser should open.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#security-considerations
 */
export function inspectElicitation(request: ElicitationRequest): ElicitationRequest {
  return request.mode === 'form'
    ? { ...request, warnings: formWarnings(request.message, request.schema) }
    : { ...request, warnings: urlWarnings(request.url) };
}

/** Characters of one request that are searched; a form that people fill in has some hundred. */
const MOST_CHARACTERS = 200_000;
const LEAST_COST = 20;
/** Fields that are named; more are counted. */
const MOST_NAMED = 20;

function formWarnings(message: string, schema: Readonly<Record<string, unknown>>): readonly string[] {
  const texts = createTexts(MOST_CHARACTERS);
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const suspicious = Object.entries(properties).flatMap(([name, property]) =>
    isSecretField(name, property, texts) ? [`"${escapeText(name, { maxLength: 100 })}"`] : [],
  );
  const named = suspicious
    .slice(0, MOST_NAMED)
    .map((name) => `${name} looks like a secret, which a server must not ask for in a form`);
  const more = suspicious.length - named.length;
  const around = [message, schema['title'], schema['description']];
  return [
    ...named,
    ...(more > 0 ? [`${more} more fields look like secrets`] : []),
    ...(around.some((text) => texts.nameSecret(text))
      ? ['the message speaks of a secret, which a server must not ask for in a form']
      : []),
    ...(texts.exhausted ? ['the form is too long to be searched for questions about secrets'] : []),
  ];
}

/** By its name, by everything that is said about it, and by what it offers to choose from. */
function isSecretField(name: string, property: unknown, texts: Texts): boolean {
  if (texts.nameSecret(name)) return true;
  if (!isRecord(property) || texts.exhausted) return false;
  if (property['format'] === 'password' || property['writeOnly'] === true) return true;
  return everyText(property, 0).some((text) => texts.nameSecret(text));
}

const DEEPEST = 6;

function everyText(value: unknown, depth: number): readonly unknown[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return [];
  return Object.values(value).flatMap((member: unknown) => everyText(member, depth + 1));
}

interface Texts {
  nameSecret(text: unknown): boolean;
  /** Some texts were not searched. */
  readonly exhausted: boolean;
}

function createTexts(most: number): Texts {
  let left = most;
  let exhausted = false;
  return {
    nameSecret(text) {
      if (typeof text !== 'string' || text === '') return false;
      const searched = text.slice(0, Math.max(0, left));
      // A short one costs something too.
      left -= Math.max(LEAST_COST, searched.length);
      if (searched.length < text.length) exhausted = true;
      return searched !== '' && namesSecret(searched);
    },
    get exhausted() {
      return exhausted;
    },
  };
}

function urlWarnings(text: string): readonly string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new FittingsError(
      'PROTOCOL_VIOLATION',
      'The server asked to open an address that is not http or https.',
    );
  }
  const warnings: string[] = [];
  if (url.protocol === 'http:') warnings.push('the connection is not encrypted');
  if (url.username !== '' || url.password !== '') warnings.push('the address contains a user name');
  if (/(^|\.)xn--/.test(url.hostname))
    warnings.push('the host name has characters that may imitate another name');
  if (isPrivateHost(url.hostname)) warnings.push('the address lies in this machine or its private network');
  return warnings;
}

function isPrivateHost(host: string): boolean {
  const name = host.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost') || name.endsWith('.local')) return true;
  if (name.startsWith('[')) return /^\[(::1?\]|f[cd]|fe[89ab]|::ffff:)/.test(name);
  return /^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168)\./.test(name);
}

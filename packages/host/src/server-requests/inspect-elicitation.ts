import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import type { ElicitationRequest } from '../contracts/server-requests.js';

/**
 * The request with reasons to distrust it, for the person who is asked. Throws `PROTOCOL_VIOLATION` for a URL that no
 * browser should open.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#security-considerations
 */
export function inspectElicitation(request: ElicitationRequest): ElicitationRequest {
  return request.mode === 'form'
    ? { ...request, warnings: formWarnings(request.schema) }
    : { ...request, warnings: urlWarnings(request.url) };
}

const SECRET_NAME =
  /pass(word|phrase|wd|code)|secret|token|api.?key|private.?key|credential|\bpin\b|\bcvv?\b|card.?number/i;

function formWarnings(schema: Readonly<Record<string, unknown>>): readonly string[] {
  const properties = schema['properties'];
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const title: unknown = isRecord(property) ? property['title'] : undefined;
    const words = `${name} ${typeof title === 'string' ? title : ''}`;
    return SECRET_NAME.test(words)
      ? [`"${name}" looks like a secret, which a server must not ask for in a form`]
      : [];
  });
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

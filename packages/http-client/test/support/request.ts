import { collectReply } from '../../src/http/collect-reply.js';
import type { HttpClient, HttpRequest, ResponseHead } from '../../src/index.js';

/** Sends a request, and resolves with the whole response. */
export async function request(
  client: Pick<HttpClient, 'send'>,
  what: HttpRequest,
  signal?: AbortSignal,
): Promise<ResponseHead & { readonly body: Uint8Array; text(): string }> {
  const { head, body } = await collectReply(
    (lifetime, accept) => client.send(what, lifetime, accept),
    signal,
    'one',
  );
  return Object.assign(head, { body, text: () => new TextDecoder().decode(body) });
}

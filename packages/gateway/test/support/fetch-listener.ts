import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';

/** Serves a function of the Fetch API with `node:http`; what it does not answer is 404. */
export function fetchListener(respond: (request: Request) => Promise<Response | undefined>): RequestListener {
  return (incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const list = Object.entries(headers).map(
      ([name, value]) => [name, String(value)] satisfies [string, string],
    );
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const request = new Request(`http://${headers.host}${url}`, {
      method,
      headers: list,
      ...(hasBody && { body: Readable.toWeb(incoming), duplex: 'half' }),
    });
    void respond(request).then((response = new Response(null, { status: 404 })) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.flushHeaders();
      if (response.body === null) return void outgoing.end();
      const body = Readable.fromWeb(response.body);
      outgoing.once('close', () => body.destroy());
      body.on('error', () => undefined).pipe(outgoing);
    });
  };
}

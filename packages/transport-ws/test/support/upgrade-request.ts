import { request, type IncomingMessage } from 'node:http';

export interface UpgradeOutcome {
  /** 101: the upgrade happened. */
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol': 'mcp',
};

/** One upgrade request with any headers, as a page or a program of an attacker would send it. */
export function askForUpgrade(
  port: number,
  headers: Readonly<Record<string, string>>,
  path = '/mcp',
): Promise<UpgradeOutcome> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, path, headers: { ...HANDSHAKE, ...headers }, agent: false });
    asked.on('upgrade', ({ statusCode = 0, headers: answer }, socket) => {
      socket.destroy();
      resolve({ status: statusCode, headers: answer, body: '' });
    });
    asked.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => (body += text));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

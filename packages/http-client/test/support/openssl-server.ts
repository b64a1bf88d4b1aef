import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Certificates } from './certificates.js';

/** `openssl s_server`: demands a client certificate, and ends a handshake without one by an alert. */
export async function startOpensslServer(
  pki: Certificates,
): Promise<AsyncDisposable & { readonly origin: string }> {
  const file = (name: string): string => join(pki.folder, name);
  // prettier-ignore
  const child = spawn('openssl', ['s_server', '-www', '-accept', '127.0.0.1:0', '-cert', file('server.pem'),
    '-key', file('server.key'), '-CAfile', pki.caFile, '-Verify', '1', '-verify_return_error'], { stdio: 'pipe' });
  let output = '';
  let port: string | undefined;
  for await (const chunk of child.stdout) {
    output += String(chunk);
    port = /ACCEPT \S+:(\d+)/.exec(output)?.[1];
    if (port !== undefined) break;
  }
  return {
    origin: `https://127.0.0.1:${port ?? 'none'}`,
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { freePort } from './free-port.js';

/** The reference server with the transport of 2024 and no other. */
export async function everythingOverSse(): Promise<{ readonly url: string } & AsyncDisposable> {
  const script = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/dist/index.js',
  );
  const port = await freePort();
  const child = spawn(process.execPath, [script, 'sse'], {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Read to its end: a server whose stderr is closed dies of its next word.
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('port')) resolve();
    });
  });
  return {
    url: `http://127.0.0.1:${port}/sse`,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';

export interface EverythingServer extends AsyncDisposable {
  readonly url: string;
  /** Ends it abruptly, all streams with it. */
  kill(): Promise<void>;
}

/** `@modelcontextprotocol/server-everything` in its SSE mode, a process of its own. */
export async function startEverything(): Promise<EverythingServer> {
  const script = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/dist/index.js',
  );
  const port = await freePort();
  const child = spawn(process.execPath, [script, 'sse'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  // Read to the end: it writes there whenever a client comes or goes, and dies when nobody reads.
  await new Promise<void>((resolve) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += String(chunk);
      if (said.includes('running on port')) resolve();
    });
  });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return { url: `http://127.0.0.1:${String(port)}/sse`, kill, [Symbol.asyncDispose]: kill };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { officialServer } from './bundled.mjs';
import { freePort } from './free-port.mjs';

/** `@modelcontextprotocol/server-everything`, a process of its own that listens on loopback. */
export interface EverythingServer extends AsyncDisposable {
  readonly url: string;
  /** Ends it abruptly, all streams with it. */
  kill(): Promise<void>;
  /** Ends it abruptly and starts it again at the same port, with no memory of sessions. */
  restart(): Promise<void>;
}

const PATHS = { streamableHttp: '/mcp', sse: '/sse' };

export async function everythingServer(
  transport: keyof typeof PATHS = 'streamableHttp',
): Promise<EverythingServer> {
  const port = await freePort();
  let child = await start(transport, port);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url: `http://127.0.0.1:${String(port)}${PATHS[transport]}`,
    kill,
    async restart() {
      await kill();
      child = await start(transport, port);
    },
    [Symbol.asyncDispose]: kill,
  };
}

async function start(transport: string, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [await officialServer('everything'), transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Read to its end: a server whose stderr is closed dies of its next word.
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.once('exit', () => reject(new Error(`it ended: ${said}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('on port')) resolve();
    });
  });
  return child;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Listening {
  readonly path: string;
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

/** A server on a socket in a folder of its own. */
export async function listen(serve: (socket: Socket) => void): Promise<Listening> {
  const folder = await mkdtemp(join(tmpdir(), 'custom-transport-'));
  const path =
    process.platform === 'win32' ? `\\\\.\\pipe\\${folder.replaceAll(/\W/g, '-')}` : join(folder, 'mcp.sock');
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    path,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

// In a process of its own and from what is installed: `tsc -b` first.
const run = (code: string): unknown =>
  JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    }),
  );

it('has loaded undici when it has started, without a connection, so that the first message does not wait', () => {
  const loaded = run(`
    import { createRequire } from 'node:module';
    import { createServer } from 'node:net';
    import { createHttpTransport } from '@mcp-fittings/transport-http';
    const { cache } = createRequire(import.meta.url);
    const undici = () => Object.keys(cache).some((file) => /[\\\\/]undici[\\\\/]lib[\\\\/]dispatcher[\\\\/]client\\.js$/.test(file));
    let connections = 0;
    const server = createServer((socket) => { connections++; socket.destroy(); }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const transport = createHttpTransport('http://127.0.0.1:' + server.address().port);
    const before = undici();
    await transport.start();
    const after = undici();
    await new Promise((resolve) => setImmediate(resolve));
    await transport.close();
    server.close(() => console.log(JSON.stringify({ before, after, connections })));
  `);
  expect(loaded).toEqual({ before: false, after: true, connections: 0 });
});

it('reports a certificate file that cannot be read with the first message, not at the start', () => {
  const codes = run(`
    import { createHttpTransport } from '@mcp-fittings/transport-http';
    const transport = createHttpTransport({ url: 'https://127.0.0.1:1/', network: { ca: '/does/not/exist.pem' } });
    const started = await transport.start().then(() => 'started', ({ code }) => code);
    const sent = await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }).catch(({ code }) => code);
    await transport.close();
    console.log(JSON.stringify([started, sent]));
  `);
  expect(codes).toEqual(['started', 'CONFIG_INVALID']);
});

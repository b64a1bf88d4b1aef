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

it('loads undici with the first request and not before', () => {
  const loaded = run(`
    import { createRequire } from 'node:module';
    import { createServer } from 'node:http';
    import { createHttpClient } from '@mcp-fittings/http-client';
    const { cache } = createRequire(import.meta.url);
    const undici = () => Object.keys(cache).some((file) => /[\\\\/]undici[\\\\/]/.test(file));
    const server = createServer((request, response) => response.end('ok')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = new URL('http://127.0.0.1:' + server.address().port);
    const network = createHttpClient({ url });
    const before = undici();
    await network.fetch(url);
    console.log(JSON.stringify([before, undici()]));
    await network.close();
    server.close();
  `);
  expect(loaded).toEqual([false, true]);
});

it('loads of undici what requests need, and leaves the dispatcher of the global `fetch` alone', () => {
  const loaded = run(`
    import { createRequire } from 'node:module';
    import { createHttpClient } from '@mcp-fittings/http-client';
    const network = createHttpClient({ url: 'https://example.com/' });
    await network.load();
    const { cache } = createRequire(import.meta.url);
    const files = Object.keys(cache).filter((file) => /[\\\\/]undici[\\\\/]/.test(file));
    const dispatcher = [1, 2].some((version) => globalThis[Symbol.for('undici.globalDispatcher.' + version)] !== undefined);
    console.log(JSON.stringify([files.some((file) => file.endsWith('client.js')), files.filter((file) => /[\\\\/](web|mock|cache)[\\\\/]|undici[\\\\/]index/.test(file)), dispatcher]));
    await network.close();
  `);
  expect(loaded).toEqual([true, [], false]);
});

it('loads the agents of undici with the first request to another origin or through a proxy', () => {
  const loaded = run(`
    import { createRequire } from 'node:module';
    import { createServer } from 'node:http';
    import { createHttpClient } from '@mcp-fittings/http-client';
    const { cache } = createRequire(import.meta.url);
    const agents = () => Object.keys(cache).some((file) => /[\\\\/]undici[\\\\/].*agent\\.js$/.test(file));
    const servers = [1, 2].map(() => createServer((request, response) => response.end('ok')).listen(0, '127.0.0.1'));
    const [url, other] = await Promise.all(servers.map((server) => new Promise((resolve) => {
      server.once('listening', () => resolve(new URL('http://127.0.0.1:' + server.address().port)));
    })));
    const network = createHttpClient({ url });
    await network.fetch(url);
    const before = agents();
    await (await network.fetch(other)).text();
    console.log(JSON.stringify([before, agents()]));
    await network.close();
    for (const server of servers) server.close();
  `);
  expect(loaded).toEqual([false, true]);
});

it('import: loads none of the heavy parts of Node before it is used', () => {
  const heavy = run(`
    import { createHttpClient } from '@mcp-fittings/http-client';
    createHttpClient({ url: 'https://example.com/', ca: 'unread.pem' });
    const loaded = new Set(process.moduleLoadList);
    console.log(JSON.stringify(['tls', 'zlib', 'http', 'https', 'crypto', 'dns'].filter((name) => loaded.has('NativeModule ' + name))));
  `);
  expect(heavy).toEqual([]);
});

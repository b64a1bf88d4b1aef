import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const FOLDER = new URL('../', import.meta.url);

/** Runs a module in a fresh process, on the built packages. */
async function runModule(source: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
    cwd: FOLDER,
  });
  return stdout.trim();
}

it('importing it and making a transport loads neither `ws` nor what is needed to connect', async () => {
  const loaded = await runModule(`
    import { createRequire } from 'node:module';
    const before = new Set(process.moduleLoadList);
    const { createWebSocketTransport, ws } = await import('@mcp-fittings/transport-ws');
    createWebSocketTransport({ url: 'wss://localhost/', network: { env: {} } });
    ws();
    const files = Object.keys(createRequire(process.cwd() + '/x.js').cache);
    const native = process.moduleLoadList.filter((name) => !before.has(name));
    console.log(JSON.stringify([...native, ...files].filter((name) => /(^NativeModule (http|https|tls|zlib)$)|[/]ws[/]/.test(name))));
  `);
  expect(JSON.parse(loaded)).toEqual([]);
});

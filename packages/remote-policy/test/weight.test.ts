import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('brings nothing of others', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    dependencies: object;
  };
  expect(Object.keys(manifest.dependencies)).toEqual(['@mcp-fittings/client-core']);
});

it('import: loads neither sockets, TLS nor cryptography until addresses and certificates are read', () => {
  // In a process of its own and from what is built: `tsc -b` first.
  const code = `
    await import('@mcp-fittings/remote-policy');
    console.log(JSON.stringify(process.moduleLoadList.filter((name) => /^NativeModule (net|tls|crypto|http)$/.test(name))));
  `;
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
  expect(JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], options))).toEqual(
    [],
  );
});

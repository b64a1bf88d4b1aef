import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('import: loads nothing of what Node.js needs for a child process before the first is started', () => {
  // In a process of its own and from what is built: `tsc -b` first.
  const code = `
    const loaded = () => process.moduleLoadList.filter((name) => /^NativeModule (child_process|net|dgram|os)$/.test(name));
    // In Node.js 26, this loads os by itself.
    await import('node:fs/promises');
    const floor = new Set(loaded());
    const { createStdioTransport, stdio } = await import('@mcp-fittings/transport-stdio');
    stdio();
    const transport = createStdioTransport({ command: process.execPath, args: ['-e', 'process.stdin.resume()'] });
    const before = loaded().filter((name) => !floor.has(name));
    await transport.start();
    const after = loaded();
    await transport.close();
    console.log(JSON.stringify([before, after.includes('NativeModule child_process')]));
  `;
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
  expect(JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], options))).toEqual([
    [],
    true,
  ]);
});

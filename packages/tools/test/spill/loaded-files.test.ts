import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fittings-loaded-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The files that a program loads, as its coverage lists them. */
function filesOf(program: string): readonly string[] {
  const coverage = mkdtempSync(join(folder, 'coverage-'));
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    env: { ...process.env, NODE_V8_COVERAGE: coverage },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return readdirSync(coverage).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as {
      result: { url: string }[];
    };
    return result.map(({ url }) => url);
  });
}

const TOOLS = `
  const { createTools } = await import('@mcp-fittings/tools');
  const content = [{ type: 'text', text: 'x'.repeat(200_000) }];
  const host = { tools: () => [{ server: 's', name: 'big', digest: '', inputSchema: {} }], callTool: async () => ({ content }) };`;

it('a program without spill loads nothing of it', () => {
  const files = filesOf(
    `${TOOLS} await createTools(host, { defaultPermission: 'allow' }).snapshot().run('mcp__s__big');`,
  );
  expect(files.filter((file) => file.includes('packages/tools/dist/'))).not.toEqual([]);
  expect(files.filter((file) => /dist\/spill|\/sharp\//.test(file))).toEqual([]);
});

it('sharp is not loaded before an image is too large', () => {
  const files = filesOf(`${TOOLS}
    const { createSpill, memorySpillStore } = await import('@mcp-fittings/tools/spill');
    const spill = createSpill({ store: memorySpillStore(), images: {} });
    const { spilled } = await createTools(host, { spill, defaultPermission: 'allow' }).snapshot().run('mcp__s__big');
    if (spilled === undefined) throw new Error('not kept');`);
  expect(files.filter((file) => /dist\/spill\//.test(file))).not.toEqual([]);
  expect(files.filter((file) => /\/sharp\//.test(file))).toEqual([]);
});

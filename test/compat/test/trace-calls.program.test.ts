import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

interface Phase {
  readonly from: string;
  readonly to: string;
  readonly files: number;
  readonly functions: number;
  readonly frames?: number;
  readonly lists: { readonly functions: readonly string[]; readonly frames?: readonly string[] };
}

interface TracedCall {
  readonly files: number;
  readonly ownFiles: number;
  readonly functions: number;
  readonly packages: Readonly<Record<string, number>>;
  readonly phases: readonly Phase[];
}

// That it counts the same in every run is what `npm run check -- trace` sees.
it('counts what one call and one refused call cross', async () => {
  const { stdout } = await run(process.execPath, ['scripts/trace-calls.mjs', '--json'], {
    cwd: root,
    maxBuffer: 16 * 1024 * 1024,
  });
  const { calls } = JSON.parse(stdout) as { readonly calls: readonly TracedCall[] };
  const [call, refresh] = calls;
  if (call === undefined || refresh === undefined) throw new Error('not all calls');
  expect(calls).toHaveLength(6);

  expect(call.phases.map(({ to }) => to)).toEqual(['POST /mcp', '200', 'value']);
  const events = refresh.phases.map(({ to }) => to);
  expect(events.slice(0, 2)).toEqual(['POST /mcp', '401']);
  expect(events).toContain('POST /token');
  expect(events.slice(-3)).toEqual(['POST /mcp', '200', 'value']);
  expect(refresh.ownFiles).toBeGreaterThan(0);
  expect(refresh.files).toBeGreaterThan(call.files);

  for (const { files, packages } of calls)
    expect(Object.values(packages).reduce((sum, count) => sum + count)).toBe(files);
  for (const { files, functions, packages, phases } of [call, refresh]) {
    expect(Object.keys(packages)).toEqual(expect.arrayContaining(['auth-oauth', 'host', 'transport-http']));
    expect(functions).toBeGreaterThan(files);
    for (const phase of phases) {
      expect(phase.functions).toBe(new Set(phase.lists.functions).size);
      expect(phase.files).toBeLessThanOrEqual(files);
    }
    const down = phases[0]?.lists.frames ?? [];
    const up = phases.at(-1)?.lists.frames ?? [];
    // From the host to the wire, and back: each of them ran in its phase.
    expect(down[0]).toMatch(/^packages\/host\/.* callTool$/);
    expect(down.some((frame) => frame.startsWith('packages/transport-http/'))).toBe(true);
    expect(phases[0]?.lists.functions).toEqual(expect.arrayContaining([...down]));
    expect(up.some((frame) => frame.startsWith('packages/transport-http/'))).toBe(true);
    expect(up.at(-1)).toMatch(/^packages\/host\//);
    expect(phases.at(-1)?.lists.functions).toEqual(expect.arrayContaining([...up]));
  }
});

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHost, type Host } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled } from '../../../../scripts/bundled.mjs';
import type { LastToolEvent } from '../../src/calls/toolset.js';
import { createTools, type Tools } from '../../src/create-tools.js';
import { createSpill, fileSpillStore, type Spill } from '../../src/spill.js';
import { referenceOf, textPart } from './support.js';

describe('a real server with large results, kept in files', () => {
  let folder = '';
  let host: Host;
  let spill: Spill;
  let tools: Tools;

  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'fittings-spill-')), 'results');
    host = createHost({ name: 'spill-test', version: '1.0.0', transports: [stdio()] });
    await host.connect({
      large: {
        command: process.execPath,
        args: [await bundled(fileURLToPath(new URL('large-server.mjs', import.meta.url)))],
        maxMessageBytes: 200_000_000,
      },
    });
    spill = createSpill({ store: fileSpillStore({ folder }) });
    tools = createTools(host, { spill, defaultPermission: 'allow' });
  });

  afterAll(async () => {
    await tools.close();
    await spill.close();
    expect(await readdir(folder)).toEqual([]);
    await host.close();
    await rm(join(folder, '..'), { recursive: true });
  });

  it('50 MB of text: the model gets a preview, finds a line and reads any page', async () => {
    const turn = tools.snapshot();
    const lines = 1_200_000;
    const event = await turn.run('mcp__large__log', { lines }, { timeoutMs: 60_000 });
    const reference = referenceOf(event);
    if (event.type !== 'result') return expect.unreachable();
    const [block] = event.result.content as readonly { readonly text: string }[];
    const whole = block?.text ?? '';
    expect(Buffer.byteLength(whole)).toBeGreaterThan(50_000_000);
    expect(event.spilled).toMatchObject({ characters: whole.length, lines });
    expect(event.rendering.text.length).toBeLessThan(3_500);

    let found = await turn.run('read_result', { reference, pattern: '^1199999:' });
    // A busy machine may need more than the time for one search.
    for (let next = continuation(found); next !== undefined; next = continuation(found))
      found = await turn.run('read_result', next);
    expect(found.rendering.text).toContain('line 1199999, offset ');
    const [, offset] = /offset (\d+):/.exec(found.rendering.text) ?? [];
    const page = await turn.run('read_result', { reference, offset: Number(offset) });
    expect(textPart(page.rendering.parts[0])).toBe(whole.slice(Number(offset)));

    for (let at = 0; at < whole.length; at += 9_999_991) {
      const { rendering } = await turn.run('read_result', { reference, offset: at });
      const text = textPart(rendering.parts[0]);
      const start = whole.indexOf(text, at - 1);
      expect(start - at).toBeGreaterThanOrEqual(-1);
      expect(start - at).toBeLessThanOrEqual(0);
      expect(text.length).toBeGreaterThan(15_000);
    }
  });
});

/** The arguments with which a search continues. */
function continuation({ rendering }: LastToolEvent): object | undefined {
  const [, json] = /Continue with (\{.*\})\.\]$/.exec(rendering.text) ?? [];
  return json === undefined || rendering.text.startsWith('line') ? undefined : (JSON.parse(json) as object);
}

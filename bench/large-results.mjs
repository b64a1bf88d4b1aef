/**
 * What keeping a large result costs: `npm run large-results -w bench`. Prints the rows of docs/large-results.md. The
 * longest pause is that of the event loop, in which other work of the host waits.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createTools } from '@mcp-fittings/tools';
import { createSpill, fileSpillStore, memorySpillStore } from '@mcp-fittings/tools/spill';

const MEGABYTES = 50;
const ROUNDS = 5;
const LINE = 'A line with some words, the number 12345 and an ümlaut\n';
const text = LINE.repeat(Math.ceil((MEGABYTES * 1e6) / Buffer.byteLength(LINE)));
const host = {
  tools: () => [{ server: 's', name: 'log', digest: '', inputSchema: { type: 'object' } }],
  callTool: () => Promise.resolve({ content: [{ type: 'text', text }] }),
};
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const folder = await mkdtemp(join(tmpdir(), 'fittings-large-'));

console.log('| store  | keep it | longest pause | read a page | search all of it |');
console.log('| ------ | ------- | ------------- | ----------- | ---------------- |');
for (const [name, store] of [
  ['memory', memorySpillStore()],
  ['files', fileSpillStore({ folder: join(folder, 'results') })],
]) {
  const spill = createSpill({ store });
  const measured = { keep: [], pause: [], page: [], search: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const tools = createTools(host, { spill, defaultPermission: 'allow' });
    const turn = tools.snapshot();
    const timed = async (what, task) => {
      const started = performance.now();
      const result = await task();
      measured[what].push(performance.now() - started);
      return result;
    };
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const { spilled } = await timed('keep', () => turn.run('mcp__s__log', {}));
    delay.disable();
    measured.pause.push(delay.max / 1e6);
    const { reference } = spilled;
    await timed('page', () =>
      turn.run('read_result', { reference, offset: Math.floor(spilled.characters / 2) }),
    );
    await timed('search', () => turn.run('read_result', { reference, pattern: 'nothing (to|at) .*find' }));
    await tools.close();
  }
  await spill.close();
  const row = ['keep', 'pause', 'page', 'search'].map(
    (what) => `${median(measured[what]).toFixed(what === 'page' ? 1 : 0)} ms`,
  );
  console.log(`| ${[name, ...row].join(' | ')} |`);
}
await rm(folder, { recursive: true });

import { describe, expect, it } from 'vitest';
import { nodeProgram } from '../lib/runtimes.mjs';
import { MEASURES } from '../lib/measures.mjs';
import { WORKLOADS } from '../lib/workloads.mjs';

const rows = new Map(WORKLOADS.map((workload) => [workload.id, workload]));

describe('the workloads', () => {
  it('have an id each, and a measure that exists', () => {
    expect(rows.size).toBe(WORKLOADS.length);
    const known = new Set(['import', ...Object.keys(MEASURES)]);
    expect(WORKLOADS.filter(({ measure }) => !known.has(measure))).toEqual([]);
  });

  it('have goals that only a deliberate change may move', () => {
    expect(rows.get('flight64-http')?.goal.floor).toBe(1.15);
    expect(rows.get('flight64-http-sse')?.goal.floor).toBe(1.15);
    expect(rows.get('notifications-stdio')?.goal.floor).toBe(1.2);
    expect(rows.get('client1-inprocess')?.goal.sdk).toBe(1);
    expect(rows.get('one-inprocess')?.limits).toEqual([{ metric: 'value', most: 1.5, unit: 'µs' }]);
    expect(rows.get('large50-stdio')?.limits?.[0]).toMatchObject({ metric: 'payloads', most: 2.9 });
    expect(rows.get('idle-rss-http')?.goal.sdk).toBe(0.8);
    for (const wire of ['stdio', 'http', 'sse', 'ws', 'inprocess']) {
      expect(rows.get(`import-${wire}`)).toMatchObject({ goal: { sdk: 0.125 }, limits: [{ most: 10 }] });
    }
    for (const wire of ['http', 'http-sse']) {
      expect(rows.get(`cold-${wire}`)?.series.at(-1)).toMatchObject({
        metric: 'first500',
        goal: { floor: 1.1 },
      });
    }
  });
});

describe('other versions of Node.js', () => {
  const [own] = process.versions.node.split('.');
  /** One that does not run this test. */
  const other = own === '26' ? '22' : '26';

  it('are those that CI installs', () => {
    const program = nodeProgram(other, { root: '/repository/', exists: () => true });
    expect(program).toBe(`/repository/test/reach/node_modules/node-${other}/bin/node`);
    expect(nodeProgram(own)).toBe(process.execPath);
  });

  it('say what installs them if they are missing, and which there are', () => {
    expect(() => nodeProgram(other, { exists: () => false })).toThrow('npm ci --prefix test/reach');
    expect(() => nodeProgram('18')).toThrow('There is no Node.js 18 here: 22, 24, 26');
  });
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runExample } from '../../../scripts/run-example.js';

const main = join(import.meta.dirname, '../dist/main.js');

describe('npm start', () => {
  it('connects to real servers, calls them, ends by itself and leaves no process', async () => {
    const { stdout, leftBehind } = await runExample(main);
    expect(stdout).toMatch(/everything +stdio +connected +\d+/);
    expect(stdout).toMatch(/filesystem +stdio +connected +\d+/);
    expect(stdout).toMatch(/memory +stdio +connected +\d+/);
    expect(stdout).toMatch(/clock +sdk +connected +1/);
    expect(stdout).toMatch(/remote-http +http +connected +\d+/);
    expect(stdout).toMatch(/remote-sse +sse +connected +\d+/);
    expect(stdout).toMatch(/remote-ws +ws +connected +1/);
    expect(stdout).toContain('everything / echo: Echo: hi');
    expect(stdout).toContain('filesystem / read_text_file: Hello from a file.');
    expect(stdout).toContain('memory / create_entities: [ { "name": "fittings"');
    expect(stdout).toMatch(/clock \/ time: \d{4}-\d\d-\d\dT/);
    expect(stdout).toContain('remote-http / echo: Echo: over HTTP');
    expect(stdout).toContain('remote-sse / echo: Echo: over SSE');
    expect(stdout).toMatch(/remote-ws \/ time: \d{4}-/);
    expect(stdout).toContain('guarded is needs-auth; signing in');
    expect(stdout).toMatch(/guarded +http +connected +1/);
    expect(stdout).toMatch(/guarded \/ time: \d{4}-/);
    if (process.platform === 'linux') expect(leftBehind()).toEqual([]);
  });
});

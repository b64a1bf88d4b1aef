import { join } from 'node:path';
import { createHost } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { expect, it } from 'vitest';
import { naming } from '../../src/names/tool-names.js';
import { renderForModel } from '../../src/results/render-result.js';
import { createTools } from '../../src/create-tools.js';

const toy = join(import.meta.dirname, '../../../host/test/support/toy-server.mjs');

it('the toolset has no tools of a server that was stopped or disabled, and they rename no other', async () => {
  await using host = createHost({
    name: 'tools-test',
    version: '1.0.0',
    transports: [stdio()],
  });
  const entry = { command: process.execPath, args: [toy] };
  await host.connect({ one: entry, two: entry });
  await using tools = createTools(host, { naming: naming.bare });
  const names = () => tools.snapshot().tools.map(({ name }) => name);
  expect(names()).toHaveLength(2);
  expect(names()).not.toContain('pid');
  await host.stop('two');
  expect(names()).toEqual(['pid']);
  await host.start('two');
  await host.disable('two');
  expect(names()).toEqual(['pid']);
});

it('a block that the host could not read is described with its type', () => {
  const block = { type: 'unknown', declaredType: 'hologram', value: { type: 'hologram' } } as const;
  expect(renderForModel({ content: [block] }).text).toBe('[content of unknown type hologram]');
});

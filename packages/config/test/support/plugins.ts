import type { TransportPlugin } from '@mcp-fittings/client-core';
import { count, entrySchema, flag, listOf, mapOf, required, text } from '@mcp-fittings/toolbox/entries';

const remote = {
  url: required(text()),
  headers: mapOf(text()),
  apiKey: text(),
  proxy: text(),
  connectTimeout: count(),
  allowInsecure: flag(),
};
const plugin = (type: string, schema: TransportPlugin['schema']): TransportPlugin => ({
  specVersion: 1,
  type,
  schema,
  create: () => {
    throw new Error('no transport is made');
  },
});

/** Transports with the fields of real ones. None of them can be started. */
export const plugins: readonly TransportPlugin[] = [
  plugin(
    'stdio',
    entrySchema({ command: required(text()), args: listOf(text()), env: mapOf(text()), cwd: text() }),
  ),
  plugin('http', entrySchema(remote)),
  plugin('sse', entrySchema(remote)),
  plugin('ws', entrySchema(remote)),
];

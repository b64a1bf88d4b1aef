import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { createSseTransport } from '@mcp-fittings/transport-sse';
import { expect, it } from 'vitest';
import { membersOf } from './support/members-of.js';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/from-the-sdk.md'), 'utf8');
const v1 = 'node_modules/@modelcontextprotocol/sdk/dist/esm/client';
const v2 = 'node_modules/@modelcontextprotocol/client/dist';

const types = [
  [`${v1}/stdio.d.ts`, 'StdioServerParameters', 'StdioClientTransport'],
  [`${v1}/streamableHttp.d.ts`, 'StreamableHTTPClientTransportOptions', 'StreamableHTTPClientTransport'],
  [`${v1}/streamableHttp.d.ts`, 'StreamableHTTPReconnectionOptions', 'StreamableHTTPClientTransport'],
  [`${v1}/sse.d.ts`, 'SSEClientTransportOptions', 'SSEClientTransport'],
  [`${v2}/stdio.d.mts`, 'StdioServerParameters', 'StdioClientTransport'],
  [`${v2}/index.d.mts`, 'StreamableHTTPClientTransportOptions', 'StreamableHTTPClientTransport'],
  [`${v2}/index.d.mts`, 'StreamableHTTPReconnectionOptions', 'StreamableHTTPClientTransport'],
  [`${v2}/index.d.mts`, 'SSEClientTransportOptions', 'SSEClientTransport'],
] as const;

/** The rows of the table of a transport: what the SDK has, and what to use. */
function rowsOf(transport: string): readonly { readonly sdk: string; readonly ours: string }[] {
  const [, section = ''] = page.split(`\n## \`${transport}\`\n`);
  const [table = ''] = section.split('\n## ');
  const cells = table.split('\n').map((line) => line.split(/(?<!\\)\|/).slice(1, -1));
  return cells.filter((row) => row.length === 2).map(([sdk = '', ours = '']) => ({ sdk, ours }));
}

it.each(types)('a row of the page has each option of the SDK: %s, %s', (file, type, transport) => {
  const members = membersOf(file, type);
  expect(members.length).toBeGreaterThan(3);
  const named = rowsOf(transport).map(({ sdk }) => sdk);
  const isNamed = (name: string): boolean =>
    named.some((cell) => new RegExp(`\`([^\`]*\\W)?${name}\\b[^\`]*\``).test(cell));
  expect(members.filter((name) => !isNamed(name))).toEqual([]);
});

const URL_OF_NOTHING = new URL('http://127.0.0.1:1/mcp');
/** A factory of ours, called without its types. */
interface Factory {
  (options: { readonly url: URL }): unknown;
  (url: URL, options: Readonly<Record<string, unknown>>): unknown;
}
const factories: Record<'StreamableHTTPClientTransport' | 'SSEClientTransport', Factory> = {
  StreamableHTTPClientTransport: createHttpTransport,
  SSEClientTransport: createSseTransport,
};

it.each([
  [types[1][0], types[1][1], types[1][2]],
  [types[3][0], types[3][1], types[3][2]],
  [types[5][0], types[5][1], types[5][2]],
  [types[7][0], types[7][1], types[7][2]],
])(
  'an option that only the SDK has is refused, and the hint says what its row says: %s, %s',
  (file, type, transport) => {
    const make = factories[transport];
    for (const name of membersOf(file, type)) {
      if (name === 'requestInit') continue;
      const options = { [name]: {} };
      expect(() => make(URL_OF_NOTHING, { [name]: undefined })).not.toThrow();
      expect(() => make({ ...options, url: URL_OF_NOTHING })).toThrow(
        `\`${name}\` is an option of the official SDK`,
      );
      const hint = hintOf(() => make(URL_OF_NOTHING, options));
      const rows = rowsOf(transport).filter(({ sdk }) => sdk.includes(`\`${name}`));
      const text = rows.map(({ ours }) => ours).join(' ');
      // The option of ours that the hint names is in the row; without one, the row begins with "none" or "always".
      const [, instead] = /^Pass `(\w+)`/.exec(hint) ?? [];
      expect(text, name).toMatch(instead === undefined ? /none|always/ : new RegExp(`\`${instead}\\b`));
    }
  },
);

function hintOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof FittingsError && error.code === 'CONFIG_INVALID') return error.hint ?? '';
    throw error;
  }
  return '';
}

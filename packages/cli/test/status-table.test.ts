import { describe, expect, it } from 'vitest';
import type { ServerRow } from '../src/commands/status-rows.js';
import { statusLines } from '../src/commands/status-table.js';
import { createStyle } from '../src/output/style.js';
import { textWidth, wrapWords } from '../src/output/text-width.js';
import { only, openWorkspace } from './support/workspace.js';

const look = { style: createStyle(false), redact: (text: string) => text };

function row(name: string, more: Partial<ServerRow>): ServerRow {
  const counts = { tools: 0, prompts: 0, resources: 0, resourceTemplates: 0 };
  return { name, type: 'http', scope: 'user', file: 'servers.json', status: 'failed', ...counts, ...more };
}

const refused = (name: string, port: number): ServerRow =>
  row(name, {
    error: {
      code: 'CONNECT_FAILED',
      message: `Connection refused by http://127.0.0.1:${port}: nothing is listening there.`,
      hint: 'Check that the server is running, and check the host and port in its URL.',
    },
  });
const up = row('up', { status: 'connected', tools: 13, prompts: 4, resources: 7 });
const quiet = row('quiet', {
  error: {
    code: 'CONNECT_TIMEOUT',
    message:
      'The server "quiet" did not connect within 4000 ms. The server wrote a line to stdout that is not a JSON-RPC message: "hello"',
    hint: 'Check that the server speaks MCP over this transport.',
  },
});

describe('the table of fittings status', () => {
  it.each([40, 60, 80, 200])('has one line per line of the terminal, at %d columns', (columns) => {
    const rows = [up, quiet, ...Array.from({ length: 26 }, (_, index) => refused(`down${index}`, index))];
    const lines = statusLines(rows, { ...look, columns });
    expect(lines.filter((line) => /\n/.test(line) || textWidth(line) > columns)).toEqual([]);
    expect(lines.filter((line) => line.includes('down25'))).toHaveLength(1);
  });

  it('says why a server failed in its row, and what to do below', () => {
    const lines = statusLines([up, quiet, refused('down', 9)], { ...look, columns: 120 });
    expect(lines).toEqual([
      '   server  transport  state      tools  prompts  resources',
      '●  up      http       connected     13        4          7',
      '✗  quiet   http       failed     did not connect within 4000 ms',
      '✗  down    http       failed     Connection refused by http://127.0.0.1:9: nothing is listening there',
      '',
      'quiet: The server wrote a line to stdout that is not a JSON-RPC message: "hello". Check that the server speaks MCP over',
      '  this transport.',
      'down: Check that the server is running, and check the host and port in its URL.',
      'Details: fittings doctor quiet',
      '',
      '3 servers, 1 connected, 2 not usable, 13 tools',
    ]);
  });

  it('gives a reason that the row cuts in full, and equal reasons once', () => {
    const narrow = statusLines([refused('down', 9)], { ...look, columns: 60 });
    expect(narrow[1]).toMatch(/Connection ref.*…$/);
    expect(narrow.join(' ')).toContain('down: Connection refused by http://127.0.0.1:9: nothing');
    const many = Array.from({ length: 26 }, (_, index) => refused(`down${index}`, index));
    const lines = statusLines([...many, quiet], { ...look, columns: 60 });
    expect(lines.slice(28).join(' ').replaceAll(/ +/g, ' ')).toMatch(
      /^ down0, down1, down2 and 23 more: Check that the server is running.*quiet: .* Details: fittings doctor down0/,
    );
  });

  it('cuts a long name rather than the command that helps', () => {
    const long = row('a-name-that-is-longer-than-what-has-room-beside', { status: 'disabled' });
    const asks = row('notes', { status: 'needs-auth', activity: 'sign in: fittings login notes' });
    const lines = statusLines([up, long, asks], { ...look, columns: 80 });
    expect(lines[2]).toContain('a-name-that-is-longer-than-…');
    expect(lines[3]).toContain('sign in: fittings login notes');
  });

  it('explains at most three reasons', () => {
    const rows = ['A', 'B', 'C', 'D', 'E'].map((code) =>
      row(code, { error: { code, message: `${code}. Why.` } }),
    );
    const text = statusLines(rows, { ...look, columns: 80 }).join('\n');
    expect(text).toContain('2 servers have other reasons.');
  });

  it('keeps the style of a wrapped text on each line', () => {
    const [first = '', second = ''] = wrapWords(createStyle(true).red('one two three four five six'), 20);
    expect(first).toBe('\u001b[31mone two three four\u001b[0m');
    expect(second).toBe('\u001b[31m  five six\u001b[39m');
  });
});

it('a server that would be tried again has failed when status ends', async () => {
  await using workspace = await openWorkspace({ here: true });
  const servers = only({ gone: { command: process.execPath, args: ['-e', 'process.exit(2)'] } });
  const { code, value } = await workspace.json([...servers, 'status']);
  expect(code).toBe(1);
  expect(value).toMatchObject({
    servers: [{ name: 'gone', status: 'failed' }],
    totals: { waiting: 0, errored: 1 },
  });
});

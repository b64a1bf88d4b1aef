import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { STATUS_TABLE } from '../src/status-table.js';

/** The cells of the rows below the heading `status`. */
function documentedRows(): string[][] {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, table = ''] = text.split(/\| status .*\n\|[ -|]+\n/);
  const [rows = ''] = table.split('\n\n');
  return rows.split('\n').map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

it('the README shows the status table as it is', () => {
  const table = STATUS_TABLE.map(({ from, to, when = [], meaning, code, delivery }) => [
    from === to ? String(from) : `${from}–${to}`,
    when.join(', '),
    meaning,
    code,
    delivery,
  ]);
  expect(documentedRows()).toEqual(table);
});

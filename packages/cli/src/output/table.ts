import { padEnd, padStart, textWidth } from './text-width.js';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Rows as an aligned table, one line each; cells may be styled. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  styleTitle: (text: string) => string = (text) => text,
): readonly string[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(textWidth(title), ...rows.map((row) => textWidth(row[index] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, index) => {
        const pad = align === 'right' ? padStart : padEnd;
        return pad(cells[index] ?? '', widths[index] ?? 0);
      })
      .join('  ')
      .trimEnd();
  return [styleTitle(line(columns.map(({ title }) => title))), ...rows.map(line)];
}

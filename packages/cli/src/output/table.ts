import { padEnd, padStart, textWidth } from './text-width.js';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Order in which columns are left out of a table that is wider than the terminal, lowest first. Default: never. */
  readonly leaveOut?: number;
}

/** Returns the columns that fit into a terminal of this width, and their cells. */
export function fittingColumns(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): { readonly columns: readonly Column[]; readonly rows: readonly (readonly string[])[] } {
  let kept = columns.map((_, index) => index);
  const widthOf = (index: number): number =>
    Math.max(textWidth(columns[index]?.title ?? ''), ...rows.map((row) => textWidth(row[index] ?? '')));
  const total = (): number => kept.reduce((sum, index) => sum + widthOf(index) + 2, -2);
  const spare = kept
    .filter((index) => columns[index]?.leaveOut !== undefined)
    .toSorted((a, b) => (columns[a]?.leaveOut ?? 0) - (columns[b]?.leaveOut ?? 0));
  for (const index of spare) {
    if (width === undefined || total() <= width) break;
    kept = kept.filter((each) => each !== index);
  }
  return {
    columns: columns.filter((_, index) => kept.includes(index)),
    rows: rows.map((row) => row.filter((_, index) => kept.includes(index))),
  };
}

/** Formats rows as an aligned table. Cells may be styled. */
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

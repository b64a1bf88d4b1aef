import { fitWidth, padEnd, padStart, textWidth } from './text-width.js';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Order in which columns are left out of a table that is wider than the terminal, lowest first. Default: never. */
  readonly leaveOut?: number;
  /** Cells are cut to this width where the table is still too wide, those of the last columns first. Default: they are never cut. */
  readonly atLeast?: number;
}

/** Columns for a last cell that takes the place of others, where those before it can be cut. */
const LAST_CELL_AT_LEAST = 32;

export interface TableLook {
  readonly styleTitle?: ((text: string) => string) | undefined;
  /** Columns of the terminal. Default: nothing is left out or cut. */
  readonly width?: number | undefined;
}

/**
 * Formats rows as an aligned table. Cells may be styled. The last cell of a row that has fewer cells than there are columns
 * takes the place of all that follow, however long it is. Columns before it that can be cut leave it some room.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { styleTitle = (text) => text, width }: TableLook = {},
): readonly string[] {
  const aligned = (row: readonly string[]): number =>
    row.length < columns.length ? row.length - 1 : row.length;
  const widths = columns.map(({ title }, index) =>
    Math.max(
      textWidth(title),
      ...rows.map((row) => (index < aligned(row) ? textWidth(row[index] ?? '') : 0)),
    ),
  );
  const kept = fittingColumns(columns, widths, width);
  const withLastCell = rows
    .filter((row) => row.length < columns.length)
    .map((row) => {
      const last = Math.min(LAST_CELL_AT_LEAST, textWidth(row.at(-1) ?? ''));
      return totalWidth([...kept.filter((index) => index < aligned(row)), columns.length], [...widths, last]);
    });
  let excess = Math.max(totalWidth(kept, widths), ...withLastCell) - (width ?? Infinity);
  for (const index of kept.toReversed()) {
    const all = widths[index] ?? 0;
    const cut = Math.max(0, Math.min(excess, all - (columns[index]?.atLeast ?? all)));
    widths[index] = all - cut;
    excess -= cut;
  }
  const line = (row: readonly string[]): string => {
    const cells = kept
      .filter((index) => index < aligned(row))
      .map((index) => {
        const pad = columns[index]?.align === 'right' ? padStart : padEnd;
        return pad(fitWidth(row[index] ?? '', widths[index] ?? 0), widths[index] ?? 0);
      });
    const text = [...cells, ...row.slice(aligned(row))].join('  ').trimEnd();
    return width === undefined ? text : fitWidth(text, width);
  };
  return [styleTitle(line(columns.map(({ title }) => title))), ...rows.map(line)];
}

/** Returns the indexes of the columns that fit into the width. */
function fittingColumns(
  columns: readonly Column[],
  widths: readonly number[],
  width = Infinity,
): readonly number[] {
  const order = (index: number): number => columns[index]?.leaveOut ?? Infinity;
  const least = widths.map((all, index) => Math.min(all, columns[index]?.atLeast ?? all));
  let kept = columns.map((_, index) => index);
  for (;;) {
    const next = Math.min(...kept.map(order));
    // A column that can be cut is left out only if that does not help.
    const canBeCut = columns.some(({ leaveOut, atLeast }) => leaveOut === next && atLeast !== undefined);
    if (next === Infinity || totalWidth(kept, canBeCut ? least : widths) <= width) return kept;
    kept = kept.filter((index) => order(index) !== next);
  }
}

function totalWidth(kept: readonly number[], widths: readonly number[]): number {
  return kept.reduce((sum, index) => sum + (widths[index] ?? 0) + 2, -2);
}

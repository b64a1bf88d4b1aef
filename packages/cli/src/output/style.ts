import { styleText } from 'node:util';

const NAMES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const;

export type Paint = (text: string) => string;

/** Styles text for a terminal. */
export type Style = Readonly<Record<(typeof NAMES)[number], Paint>>;

export function createStyle(colors: boolean): Style {
  const paint =
    (name: (typeof NAMES)[number]): Paint =>
    (text) =>
      colors ? styleText(name, text, { validateStream: false }) : text;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are exactly these names
  return Object.fromEntries(NAMES.map((name) => [name, paint(name)])) as Style;
}

/**
 * Returns whether to use colors: on a terminal, unless `NO_COLOR` or `FORCE_COLOR` decides.
 * @see https://no-color.org
 */
export function wantsColors(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0';
  return isTerminal && env['TERM'] !== 'dumb';
}

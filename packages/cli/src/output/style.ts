export type Paint = (text: string) => string;

/** Styles text for a terminal. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/**
 * SGR parameters that turn a style on and off.
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-48/ 8.3.117
 */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export function createStyle(colors: boolean): Style {
  const mark =
    (name: keyof typeof CODES): Paint =>
    (text) => {
      const [on, off] = CODES[name];
      return colors ? `\u001b[${on}m${text}\u001b[${off}m` : text;
    };
  return {
    bold: mark('bold'),
    dim: mark('dim'),
    red: mark('red'),
    green: mark('green'),
    yellow: mark('yellow'),
    cyan: mark('cyan'),
  };
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

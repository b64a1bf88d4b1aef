/** Stands for the name of a command in the help of the program itself. */
export const PROGRAM_HELP = 'index';

/** The help of one command, for a terminal of any width. */
export interface HelpText {
  /** Lines as they are, or a beginning and a text that is wrapped beside it. */
  readonly lines: readonly (string | readonly [beginning: string, text: string])[];
  /** What follows: examples and notes, which are not wrapped. */
  readonly after: string;
}

/** Narrower texts are not wrapped. */
const MIN_WIDTH = 40;

/** Formats help as commander does. */
export function formatHelp({ lines, after }: HelpText, width: number): string {
  const wrapped = lines.map((line) => {
    if (typeof line === 'string') return line;
    const [beginning, text] = line;
    return beginning + wrap(text, width - beginning.length, beginning.length);
  });
  return wrapped.join('\n') + after;
}

function wrap(text: string, width: number, indent: number): string {
  if (width < MIN_WIDTH) return text;
  let line = '';
  const done: string[] = [];
  // Each word with the space before it.
  for (const word of text.match(/\s*\S+/g) ?? []) {
    if (line === '' || line.length + word.length <= width) line += word;
    else {
      done.push(line);
      line = word.trimStart();
    }
  }
  return [...done, line].join(`\n${' '.repeat(indent)}`);
}

/**
 * A command line as words: quotes hold words together, a backslash takes the next character as it is (not within single
 * quotes). Nothing is expanded, since no shell will see it. Undefined for an empty line or an open quote.
 */
export function splitCommand(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index);
    if (character === '\\' && quote !== "'" && index + 1 < line.length)
      word = (word ?? '') + line.charAt(++index);
    else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== undefined) return undefined;
  if (word !== undefined) words.push(word);
  return words.length === 0 || words[0] === '' ? undefined : words;
}

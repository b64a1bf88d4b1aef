/** Places in a built file, and where they are in its source. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

export function openSource(file) {
  const text = readFileSync(file, 'utf8');
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return {
    /** In the source, both from 1; undefined for what is in no source. */
    placeOf(offset) {
      const line = starts.findLastIndex((start) => start <= offset);
      const { originalLine, originalColumn } = map.findEntry(line, offset - starts[line]);
      return originalLine === undefined ? undefined : { line: originalLine + 1, column: originalColumn + 1 };
    },
    /** Both from 0, as V8 says them. */
    offsetOf: (line, column) => starts[line] + column,
  };
}

const HEADER = /^\s*content-length\s*:/i;
const MESSAGE = /\{\s*"(?:jsonrpc|id|method|result|error)"\s*:/;

/** Says what a server wrote to stdout in place of a message, as far as the line shows it. */
export function describeNoise(line: string, framing: 'newline' | 'content-length'): string {
  if (framing === 'newline' && HEADER.test(line))
    return 'a header of a message to stdout, but its `framing` is "newline"';
  const at = line.search(MESSAGE);
  if (at === 0 && framing === 'content-length')
    return 'a message without a header to stdout, but its `framing` is "content-length"';
  if (at > 0) return 'a line to stdout in which other text precedes a JSON-RPC message';
  return 'a line to stdout that is not a JSON-RPC message';
}

const HEADER = /^\s*content-length\s*:/i;
const MESSAGE = /^\s*\{\s*"(?:jsonrpc|id|method|result|error)"\s*:/;

/** Says what a server wrote to stdout in place of a message, as far as the line shows it. */
export function describeNoise(line: string, framing: 'newline' | 'content-length'): string {
  if (framing === 'newline' && HEADER.test(line))
    return 'a header of a message to stdout, but its `framing` is "newline"';
  if (framing === 'content-length' && MESSAGE.test(line))
    return 'a message without a header to stdout, but its `framing` is "content-length"';
  return 'a line to stdout that is not a JSON-RPC message';
}

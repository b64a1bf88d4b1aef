/**
 * Returns the host name of a URL in the letters that a person reads: `xn--pple-43d.com` as `аpple.com`.
 * @see https://www.rfc-editor.org/rfc/rfc3492.html
 */
export function toUnicodeHost(hostname: string): string {
  return hostname
    .split('.')
    .map((label) => (label.startsWith('xn--') ? decodeLabel(label.slice('xn--'.length)) : label))
    .join('.');
}

const BASE = 36;
const MIN_THRESHOLD = 1;
const MAX_THRESHOLD = 26;

/** Decodes a label that the parser of URLs has accepted, so it is valid. */
function decodeLabel(label: string): string {
  const end = label.lastIndexOf('-');
  const output = Array.from(label.slice(0, Math.max(0, end)));
  let code = 128;
  let at = 0;
  let bias = 72;
  let input = end + 1;
  while (input < label.length) {
    const before = at;
    for (let weight = 1, step = BASE; ; step += BASE) {
      const digit = Number.parseInt(label.charAt(input++), BASE);
      // Letters are the digits from 0, figures those from 26.
      const value = digit < 10 ? digit + 26 : digit - 10;
      at += value * weight;
      const threshold = Math.min(MAX_THRESHOLD, Math.max(MIN_THRESHOLD, step - bias));
      if (!(value >= threshold)) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adaptBias(at - before, length, before === 0);
    code += Math.floor(at / length);
    at %= length;
    output.splice(at++, 0, String.fromCodePoint(code));
  }
  return output.join('');
}

function adaptBias(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / length);
  let bias = 0;
  for (; rest > ((BASE - MIN_THRESHOLD) * MAX_THRESHOLD) / 2; bias += BASE)
    rest = Math.floor(rest / (BASE - MIN_THRESHOLD));
  return bias + Math.floor(((BASE - MIN_THRESHOLD + 1) * rest) / (rest + 38));
}

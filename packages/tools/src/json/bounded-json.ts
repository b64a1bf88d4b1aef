const MAX_DEPTH = 64;
const CUT = '…';

/**
 * Serializes an untrusted value to at most `maxCharacters` characters of JSON. The limit bounds the work too, however large
 * the value is. Truncated text ends with `…` and is not valid JSON.
 */
export function boundedJson(value: unknown, maxCharacters: number): string {
  const writer = new Writer(maxCharacters);
  try {
    writer.write(value, 0, '');
  } catch (error) {
    // The limit is reached, or a getter of an in-process server threw.
    return error instanceof Full
      ? writer.text.slice(0, Math.max(0, maxCharacters - 1)) + CUT
      : '[unreadable]';
  }
  return writer.text;
}

class Full extends Error {}

class Writer {
  readonly #max: number;
  text = '';

  constructor(max: number) {
    this.#max = max;
  }

  write(value: unknown, depth: number, indent: string): void {
    if (typeof value === 'string') return this.#put(JSON.stringify(value.slice(0, this.#max + 1)));
    if (typeof value !== 'object' || value === null) return this.#put(scalar(value));
    const inner = `${indent}  `;
    const list = Array.isArray(value);
    if (depth >= MAX_DEPTH) return this.#put(list ? `[${CUT}]` : `{${CUT}}`);
    this.#put(list ? '[' : '{');
    let empty = true;
    for (const [key, member] of membersOf(value)) {
      this.#put(`${empty ? '' : ','}\n${inner}`);
      if (!list) this.#put(`${JSON.stringify(key.slice(0, this.#max + 1))}: `);
      this.write(member, depth + 1, inner);
      empty = false;
    }
    this.#put(`${empty ? '' : `\n${indent}`}${list ? ']' : '}'}`);
  }

  #put(text: string): void {
    this.text += text;
    if (this.text.length > this.#max) throw new Full();
  }
}

function* membersOf(value: object): Iterable<readonly [key: string, member: unknown]> {
  if (Array.isArray(value)) {
    for (const element of value as readonly unknown[]) yield ['', element];
    return;
  }
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (member !== undefined) yield [key, member];
  }
}

function scalar(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : 'null';
}

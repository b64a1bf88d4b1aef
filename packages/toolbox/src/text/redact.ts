import { toBase64 } from './base64.js';

const MASK = '[redacted]';
/** Shorter values are words like `true` or `1`: masking them would hide half of every text. */
const SHORTEST_SECRET = 6;

/**
 * A function that removes secrets from a text, see {@link createRedactor}. `cut` names the end at which the text was cut off;
 * a part of a secret at that end is removed too.
 */
export type Redactor = (text: string, cut?: 'start' | 'end') => string;

/** A shorter part of a secret reveals nothing, and would be found everywhere by chance. */
const SHORTEST_PART = 4;

/**
 * Creates a function that replaces these values in a text by `[redacted]`, in capital and small letters, also where they are
 * percent-encoded as in a form or a URL, escaped as in JSON, or contained in base64 as in `Authorization: Basic`. Values shorter
 * than six characters are not replaced.
 *
 * @example
 * ```ts
 * const redact = createRedactor([token]);
 * logger.warn(redact(String(error)));
 * ```
 */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    // Capitals of other letters than those of ASCII may be longer, and have other bytes.
    for (const text of new Set([secret, secret.toUpperCase(), secret.toLowerCase()])) {
      for (const form of [text, JSON.stringify(text).slice(1, -1), ...percentForms(text)])
        forms.add(fold(form));
    }
    for (const form of base64Forms(secret)) {
      if (form.length >= SHORTEST_SECRET) forms.add(fold(form));
    }
  }
  // Longest first, so that a secret that contains another one is replaced as a whole.
  const ordered = [...forms].toSorted((a, b) => b.length - a.length);
  return (text, cut) => {
    let whole = text;
    let folded = fold(text);
    for (const form of ordered) {
      if (!folded.includes(form)) continue;
      whole = maskForm(whole, folded, form);
      folded = fold(whole);
    }
    if (cut === undefined) return whole;
    const part = Math.max(0, ...ordered.map((form) => partLength(folded, form, cut)));
    if (part < SHORTEST_PART) return whole;
    return cut === 'start' ? MASK + whole.slice(part) : whole.slice(0, -part) + MASK;
  };
}

/** Returns the text in capitals, with every character at its place: those that are longer in capitals stay. */
function fold(text: string): string {
  const capitals = text.toUpperCase();
  if (capitals.length === text.length) return capitals;
  const each = (character: string): string => {
    const capital = character.toUpperCase();
    return capital.length === character.length ? capital : character;
  };
  return Array.from(text, each).join('');
}

function maskForm(text: string, folded: string, form: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = folded.indexOf(form); at !== -1; at = folded.indexOf(form, from)) {
    parts.push(text.slice(from, at));
    from = at + form.length;
  }
  return [...parts, text.slice(from)].join(MASK);
}

/** Returns how much of the end of the secret the text starts with, or how much of its start the text ends with. */
function partLength(text: string, secret: string, cut: 'start' | 'end'): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST_PART; length--) {
    const found =
      cut === 'start' ? text.startsWith(secret.slice(-length)) : text.endsWith(secret.slice(0, length));
    if (found) return length;
  }
  return 0;
}

/** Encoded as in a form, and as by `encodeURIComponent`, which encodes fewer characters. */
function percentForms(secret: string): string[] {
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  const inUrl = inForm
    .replaceAll('+', '%20')
    .replace(/%(?:2[1789]|7E)/g, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
  return [inForm, inUrl];
}

/** The secret within longer base64, in both alphabets. Its offset decides what its characters become. */
function base64Forms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  return [0, 1, 2].flatMap((before) => {
    const text = toBase64(Uint8Array.from([...new Uint8Array(before), ...bytes]));
    // The characters at the ends also contain bits of the neighboring bytes.
    const first = [0, 2, 3][before];
    const last = (before + bytes.length) % 3 === 0 ? undefined : -1;
    const form = text.replace(/=+$/, '').slice(first, last);
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

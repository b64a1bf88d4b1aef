import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The tokenizer of the corpus. */
interface Tokenizer {
  readonly countTokens: (text: string, options: SpecialTokens) => number;
}

interface SpecialTokens {
  readonly allowedSpecial: ReadonlySet<string>;
  readonly disallowedSpecial: ReadonlySet<string>;
}

/** Text that looks like a control token counts as text. */
const NONE: SpecialTokens = { allowedSpecial: new Set(), disallowedSpecial: new Set() };

/** Returns a function that counts the tokens of a text. The tokenizer is that of OpenAI: Anthropic publishes none. */
export async function loadTokenizer(): Promise<(text: string) => number> {
  const { resolve } = createRequire(join(import.meta.dirname, '../../../test/corpus/package.json'));
  const file = resolve('gpt-tokenizer/encoding/o200k_base');
  const { countTokens } = (await import(pathToFileURL(file).href)) as Tokenizer;
  // Most of a request without `defer` is the same as in the one before it.
  const counted = new Map<string, number>();
  return (text) => {
    const count = counted.get(text) ?? countTokens(text, NONE);
    counted.set(text, count);
    return count;
  };
}

/** Counts tokens with a tokenizer that the corpus installs. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { resolve } = createRequire(new URL('../../test/corpus/package.json', import.meta.url));
const { countTokens: count } = await import(pathToFileURL(resolve('gpt-tokenizer/encoding/o200k_base')).href);

/** That of GPT-4o and later. Anthropic publishes none for its models. */
export const TOKENIZER = 'o200k_base';

/** Tokens of a text as the tokenizer of OpenAI cuts it. Text that looks like a control token counts as text. */
export const countTokens = (text) => count(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() });

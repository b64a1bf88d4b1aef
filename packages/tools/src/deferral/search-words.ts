import { decompose } from '@mcp-fittings/toolbox/text';

/** Words within names too: `getHTTPServer`, `create_issue` and `read-file` have several. Digits belong to what is before them. */
const WORD = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?\p{Ll}+\p{N}*|[\p{Lo}\p{Lm}]+|\p{N}+/gu;
/** The same, faster, for texts in ASCII: nearly all. */
const ASCII_WORD = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g;
const NOT_ASCII = /[^ -~\s]/;
/** Scripts that put no spaces between words. Each two characters are one. */
const WITHOUT_SPACES =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+$/u;
/** Words that say nothing about what a tool does. */
const IGNORED = new Set(
  `a about also am an and any are as at be been being but by can could did do does each every for from had has have
  he her here him his how i if in into is it its just let like me more most my need no not of on or other our please she should
  so some such than that the their them then there these they this those through to too tool tools us use used using very want
  was we were what when where which who why will with would you your`.split(/\s+/),
);
/** Finds the words of a text, in the form in which words are compared. */
export function wordsOf(text: string): readonly string[] {
  const plain = !NOT_ASCII.test(text);
  const folded = plain ? text : decompose(text).replace(/\p{Mn}/gu, '');
  return (folded.match(plain ? ASCII_WORD : WORD) ?? []).flatMap((word) => formsOf(word.toLowerCase()));
}

function formsOf(word: string): readonly string[] {
  if (IGNORED.has(word)) return [];
  if (!WITHOUT_SPACES.test(word)) return [stem(word)];
  const characters = Array.from(word);
  return characters.length < 3 ? [word] : characters.slice(1).map((next, at) => `${characters[at]}${next}`);
}

/** Removes the endings of English by which one word has several forms: `issues`, `creating`, `deletion`, `create`. */
function stem(word: string): string {
  if (word.length < 4) return word;
  const singular = word
    .replace(/(?<=.{2})ies$/, 'y')
    .replace(/(?<=s|x|z|ch|sh)es$/, '')
    .replace(/(?<=[^sui])s$/, '');
  const root = singular.replace(/(?<=.{5})ion$|(?<=.{3})(?:ing|ed)$/, '').replace(/([^aeiouls])\1$/, '$1');
  return root.length > 3 ? root.replace(/e$/, '') : root;
}

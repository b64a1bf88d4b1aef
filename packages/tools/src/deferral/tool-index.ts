/** A text to search in, and how much a word in it counts. */
export interface IndexedText {
  readonly text: string;
  readonly weight: number;
}

/** A full-text index by BM25. Its results depend only on what is in it, not on the order in which it was added. */
export interface ToolIndex<Item extends object> {
  /** Makes these the items of the index. Only items that are new, or whose `version` has changed, are read. */
  update(items: readonly Item[], versionOf: (item: Item) => string, textsOf: TextsOf<Item>): void;
  /**
   * Returns the best items, best first. Words with a `+` before them must occur in the first text of an item; the other words
   * decide the order.
   */
  search(query: string, limit: number): readonly Item[];
}

type TextsOf<Item> = (item: Item) => readonly IndexedText[];

interface Entry<Item> {
  readonly item: Item;
  readonly version: string;
  readonly terms: ReadonlyMap<string, number>;
  /** The words of the first text, by which equal scores are ordered, and of which a `+word` must be one. */
  readonly title: readonly string[];
  readonly length: number;
}

/** The usual parameters: how soon repeated words stop to count, and how much a long text counts less. */
const K1 = 1.2;
const B = 0.6;
/** A word counts so much for another one of which it is the beginning, such as `repo` for `repository`. */
const PREFIX_WEIGHT = 0.35;
const MIN_PREFIX = 3;
/** A server that lists every word there is must not fill the memory. */
const MAX_TERMS = 200;
const REQUIRED = /(?:^|(?<=\s))\+(\S+)/g;
const MAX_QUERY = { characters: 400, terms: 24 };

/** Creates an empty index. Texts must be bounded by the caller. */
export function createToolIndex<Item extends object>(): ToolIndex<Item> {
  const entries = new Map<Item, Entry<Item>>();
  const postings = new Map<string, Map<Entry<Item>, number>>();
  let totalLength = 0;

  const remove = (entry: Entry<Item>): void => {
    entries.delete(entry.item);
    totalLength -= entry.length;
    for (const term of entry.terms.keys()) {
      const posting = postings.get(term);
      posting?.delete(entry);
      if (posting?.size === 0) postings.delete(term);
    }
  };
  const add = (entry: Entry<Item>): void => {
    entries.set(entry.item, entry);
    totalLength += entry.length;
    for (const [term, frequency] of entry.terms) {
      const posting = postings.get(term) ?? new Map<Entry<Item>, number>();
      postings.set(term, posting.set(entry, frequency));
    }
  };
  /** Returns how often a word, and less so every word that begins with it or with which it begins, is in each entry. */
  const frequenciesOf = (term: string): ReadonlyMap<Entry<Item>, number> => {
    const exact = postings.get(term);
    if (term.length < MIN_PREFIX) return exact ?? new Map();
    const found = new Map(exact);
    for (const [other, posting] of postings) {
      if (other === term || other.length < MIN_PREFIX) continue;
      if (!other.startsWith(term) && !term.startsWith(other)) continue;
      const [short, long] = other.length < term.length ? [other, term] : [term, other];
      const weight = PREFIX_WEIGHT * Math.min(1, (2 * short.length) / long.length);
      for (const [entry, frequency] of posting) {
        found.set(entry, (found.get(entry) ?? 0) + frequency * weight);
      }
    }
    return found;
  };

  return {
    update(items, versionOf, textsOf) {
      const now = new Set(items);
      for (const [item, entry] of entries) if (!now.has(item)) remove(entry);
      for (const item of now) {
        const version = versionOf(item);
        const known = entries.get(item);
        if (known?.version === version) continue;
        if (known !== undefined) remove(known);
        add(createEntry(item, version, textsOf(item)));
      }
    },
    search(query, limit) {
      const text = query.slice(0, MAX_QUERY.characters);
      const required = Array.from(text.matchAll(REQUIRED), ([, word = '']) => wordsOf(word)).flat();
      const others = wordsOf(text.replaceAll(REQUIRED, ' '));
      const terms = [...new Set(others.length > 0 ? others : required)].slice(0, MAX_QUERY.terms);
      const average = totalLength / Math.max(1, entries.size);
      const scores = new Map<Entry<Item>, number>();
      for (const term of terms) {
        const frequencies = frequenciesOf(term);
        const rarity = Math.log(1 + (entries.size - frequencies.size + 0.5) / (frequencies.size + 0.5));
        for (const [entry, frequency] of frequencies) {
          const damping = K1 * (1 - B + (B * entry.length) / average);
          const score = (rarity * frequency * (K1 + 1)) / (frequency + damping);
          scores.set(entry, (scores.get(entry) ?? 0) + score);
        }
      }
      const title = ({ title: words }: Entry<Item>): string => words.join(' ');
      return [...scores]
        .filter(([entry]) => required.every((word) => entry.title.includes(word)))
        .toSorted(([a, x], [b, y]) => y - x || (title(a) < title(b) ? -1 : 1))
        .slice(0, limit)
        .map(([entry]) => entry.item);
    },
  };
}

function createEntry<Item>(item: Item, version: string, texts: readonly IndexedText[]): Entry<Item> {
  const terms = new Map<string, number>();
  let length = 0;
  for (const { text, weight } of texts) {
    for (const word of wordsOf(text)) {
      if (!terms.has(word) && terms.size >= MAX_TERMS) continue;
      terms.set(word, (terms.get(word) ?? 0) + weight);
      length += weight;
    }
  }
  return { item, version, terms, title: wordsOf(texts[0]?.text ?? ''), length };
}

/** Words within names too: `getHTTPServer`, `create_issue` and `read-file` have several. Digits belong to what is before them. */
const WORD = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?\p{Ll}+\p{N}*|[\p{Lo}\p{Lm}]+|\p{N}+/gu;
/** Scripts that put no spaces between words. Each two characters are one. */
const WITHOUT_SPACES =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+$/u;
const IGNORED = new Set(
  'a an and any are as at be by can do for from has have how i if in into is it its me my of on or please that the their then there these this to tool tools use used using want was what when which will with you your'.split(
    ' ',
  ),
);

function wordsOf(text: string): readonly string[] {
  const folded = text.normalize('NFKD').replace(/\p{Mn}/gu, '');
  return Array.from(folded.matchAll(WORD), ([word]) => word.toLowerCase())
    .filter((word) => !IGNORED.has(word))
    .flatMap((word) => (WITHOUT_SPACES.test(word) ? pairsOf(word) : [stem(word)]));
}

function pairsOf(word: string): readonly string[] {
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

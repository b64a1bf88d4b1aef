import { WordFinder } from './search-words.js';

/** A text to search in, and how much a word in it counts. */
export interface IndexedText {
  readonly text: string;
  readonly weight: number;
}

/** Says what is indexed of an item: its texts, and a version that changes with them. */
export interface IndexedItems<Item> {
  readonly versionOf: (item: Item) => string;
  readonly textsOf: (item: Item) => readonly IndexedText[];
  /** Returns a name: a query that has all words of it prefers the items of this name. */
  readonly groupOf: (item: Item) => string;
}

interface Entry<Item> {
  readonly item: Item;
  readonly version: string;
  readonly frequencies: ReadonlyMap<string, number>;
  /** The words of the first text. */
  readonly title: ReadonlySet<string>;
  /** The words of the group. */
  readonly group: readonly string[];
  readonly length: number;
}

/** Places of a word: the place of an entry and the frequency of the word there, in turns. An object for each would be much larger. */
type Posting = number[];

/** The usual parameters: how soon repeated words stop to count, and how much a long text counts less. */
const K1 = 1.2;
const B = 0.75;
const PREFIX_WEIGHT = 0.35;
const MIN_PREFIX = 3;
/** A server that lists every word there is must not fill the memory. */
const MAX_WORDS = 200;
/** Items with a smaller share of the best score are not found. It changes no answer of bench/tool-search, and loads fewer tools. */
const LEAST_SHARE = 0.4;
/** Weight of an item whose group the query names. */
const GROUP_FACTOR = 1.5;
const REQUIRED = /(?:^|(?<=\s))\+(\S+)/g;
const MAX_QUERY = { characters: 400, words: 24 };

/**
 * A full-text index by BM25. The same items and query have the same result, whatever was in the index before. Texts must be bounded by
 * the caller.
 */
export class ToolIndex<Item extends object> {
  readonly #words = new WordFinder();
  readonly #known = new WeakMap<Item, Entry<Item>>();
  #entries: readonly Entry<Item>[] = [];
  #postings: ReadonlyMap<string, Posting> = new Map();
  #averageLength = 0;

  /** Reads items that are new, or whose version has changed, for a later {@link update}. Returns how many they were. */
  read(items: readonly Item[], of: IndexedItems<Item>): number {
    return items.filter((item) => this.#known.get(item) !== this.#entryOf(item, of)).length;
  }

  /** Makes these the items of the index. */
  update(items: readonly Item[], of: IndexedItems<Item>): void {
    const next = items.map((item) => this.#entryOf(item, of));
    if (next.length === this.#entries.length && next.every((entry, at) => entry === this.#entries[at]))
      return;
    this.#entries = next;
    this.#postings = postingsOf(next);
    this.#averageLength = next.reduce((sum, { length }) => sum + length, 0) / Math.max(1, next.length);
  }

  /**
   * Returns the best items, best first. Words with a `+` before them must occur in the first text of an item; the other words
   * decide the order. Equally good items keep their order.
   */
  search(query: string, limit: number): readonly Item[] {
    const entries = this.#entries;
    const text = query.slice(0, MAX_QUERY.characters);
    const required = Array.from(text.matchAll(REQUIRED), ([, word = '']) => this.#words.find(word)).flat();
    const others = this.#words.find(text.replaceAll(REQUIRED, ' '));
    const words = [...new Set(others.length > 0 ? others : required)].slice(0, MAX_QUERY.words);
    const scores = new Map<number, number>();
    for (const word of words) {
      const frequencies = this.#frequenciesOf(word);
      const rarity = Math.log(1 + (entries.length - frequencies.size + 0.5) / (frequencies.size + 0.5));
      for (const [place, frequency] of frequencies) {
        const damping = K1 * (1 - B + (B * (entries[place]?.length ?? 0)) / this.#averageLength);
        const score = (rarity * frequency * (K1 + 1)) / (frequency + damping);
        scores.set(place, (scores.get(place) ?? 0) + score);
      }
    }
    for (const [place, score] of scores) {
      const { group = [] } = entries[place] ?? {};
      const isNamed = group.length > 0 && group.every((word) => words.includes(word));
      if (isNamed) scores.set(place, score * GROUP_FACTOR);
    }
    const least = LEAST_SHARE * [...scores.values()].reduce((best, score) => Math.max(best, score), 0);
    return [...scores]
      .filter(([, score]) => score >= least)
      .toSorted(([a, x], [b, y]) => y - x || a - b)
      .flatMap(([place]) => entries[place] ?? [])
      .filter(({ title }) => required.every((word) => title.has(word)))
      .slice(0, limit)
      .map(({ item }) => item);
  }

  #entryOf(item: Item, { versionOf, textsOf, groupOf }: IndexedItems<Item>): Entry<Item> {
    const version = versionOf(item);
    const before = this.#known.get(item);
    if (before?.version === version) return before;
    const texts = textsOf(item);
    const frequencies = new Map<string, number>();
    let length = 0;
    // A word counts once in each text: a server could repeat it.
    for (const { text, weight } of texts) {
      for (const word of new Set(this.#words.find(text))) {
        if (!frequencies.has(word) && frequencies.size >= MAX_WORDS) continue;
        frequencies.set(word, (frequencies.get(word) ?? 0) + weight);
        length += weight;
      }
    }
    const title = new Set(this.#words.find(texts[0]?.text ?? ''));
    const group = this.#words.find(groupOf(item));
    const entry = { item, version, frequencies, title, group, length };
    this.#known.set(item, entry);
    return entry;
  }

  /** Returns how often a word, and less so each similar one, is in each entry. */
  #frequenciesOf(word: string): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    for (const [other, posting] of this.#postings) {
      const weight = similarityOf(word, other);
      if (weight === 0) continue;
      for (let at = 0; at < posting.length; at += 2) {
        const place = posting[at] ?? 0;
        found.set(place, (found.get(place) ?? 0) + (posting[at + 1] ?? 0) * weight);
      }
    }
    return found;
  }
}

function postingsOf(entries: readonly Entry<unknown>[]): ReadonlyMap<string, Posting> {
  const postings = new Map<string, Posting>();
  for (const [place, { frequencies }] of entries.entries()) {
    for (const [word, frequency] of frequencies) {
      const posting = postings.get(word) ?? [];
      posting.push(place, frequency);
      postings.set(word, posting);
    }
  }
  return postings;
}

/** Returns 1 for the same word, and less if one is the beginning of the other, such as `repo` of `repository`. */
function similarityOf(word: string, other: string): number {
  if (word === other) return 1;
  const [short, long] = other.length < word.length ? [other, word] : [word, other];
  if (short.length < MIN_PREFIX || !long.startsWith(short)) return 0;
  return PREFIX_WEIGHT * Math.min(1, (2 * short.length) / long.length);
}

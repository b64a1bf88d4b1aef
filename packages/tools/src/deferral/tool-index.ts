import type { ModelTool } from '../model-tools/model-tool.js';
import { wordsOf } from './search-words.js';
import { textsOf } from './tool-texts.js';

interface Entry {
  readonly tool: ModelTool;
  readonly instructions: string;
  readonly frequencies: ReadonlyMap<string, number>;
  /** The words of the first text. */
  readonly title: ReadonlySet<string>;
  /** The words of its server's name: a query that has all of them prefers the tools of this server. */
  readonly server: readonly string[];
  readonly length: number;
}

/** Returns the instructions of a server. */
export type InstructionsOf = (server: string) => string;

/** Places of a word: the place of an entry and the frequency of the word there, in turns. An object for each would be much larger. */
type Posting = number[];

/** The usual parameters: how soon repeated words stop to count, and how much a long text counts less. */
const K1 = 1.2;
const B = 0.75;
const PREFIX_WEIGHT = 0.35;
const MIN_PREFIX = 3;
/** A server that lists every word there is must not fill the memory. */
const MAX_WORDS = 200;
/** Tools with a smaller share of the best score are not found. It changes no answer of bench/tool-search, and loads fewer tools. */
const LEAST_SHARE = 0.4;
/** Weight of a tool whose server the query names. */
const SERVER_FACTOR = 1.5;
const REQUIRED = /(?:^|(?<=\s))\+(\S+)/g;
const MAX_QUERY = { characters: 400, words: 24 };

/** A full-text index by BM25. The same tools and query have the same result, whatever was in the index before. */
export class ToolIndex {
  readonly #known = new WeakMap<ModelTool, Entry>();
  #entries: readonly Entry[] = [];
  #postings: ReadonlyMap<string, Posting> = new Map();
  #averageLength = 0;

  /** Reads tools that are new, or whose instructions have changed, for a later {@link update}. Returns how many they were. */
  read(tools: readonly ModelTool[], instructionsOf: InstructionsOf): number {
    return tools.filter((tool) => this.#known.get(tool) !== this.#entryOf(tool, instructionsOf)).length;
  }

  /** Makes these the tools of the index. */
  update(tools: readonly ModelTool[], instructionsOf: InstructionsOf): void {
    const next = tools.map((tool) => this.#entryOf(tool, instructionsOf));
    if (next.length === this.#entries.length && next.every((entry, at) => entry === this.#entries[at]))
      return;
    this.#entries = next;
    this.#postings = postingsOf(next);
    this.#averageLength = next.reduce((sum, { length }) => sum + length, 0) / Math.max(1, next.length);
  }

  /**
   * Returns the best tools, best first. Words with a `+` before them must occur in the names of a tool and its server; the other words
   * decide the order. Equally good tools keep their order.
   */
  search(query: string, limit: number): readonly ModelTool[] {
    const entries = this.#entries;
    const text = query.slice(0, MAX_QUERY.characters);
    const required = Array.from(text.matchAll(REQUIRED), ([, word = '']) => wordsOf(word)).flat();
    const others = wordsOf(text.replaceAll(REQUIRED, ' '));
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
      const { server = [] } = entries[place] ?? {};
      const isNamed = server.length > 0 && server.every((word) => words.includes(word));
      if (isNamed) scores.set(place, score * SERVER_FACTOR);
    }
    const least = LEAST_SHARE * [...scores.values()].reduce((best, score) => Math.max(best, score), 0);
    return [...scores]
      .filter(([, score]) => score >= least)
      .toSorted(([a, x], [b, y]) => y - x || a - b)
      .flatMap(([place]) => entries[place] ?? [])
      .filter(({ title }) => required.every((word) => title.has(word)))
      .slice(0, limit)
      .map(({ tool }) => tool);
  }

  #entryOf(tool: ModelTool, instructionsOf: InstructionsOf): Entry {
    const instructions = instructionsOf(tool.ref.server);
    const before = this.#known.get(tool);
    if (before?.instructions === instructions) return before;
    const texts = textsOf(tool, instructions);
    const frequencies = new Map<string, number>();
    let length = 0;
    // A word counts once in each text: a server could repeat it.
    for (const { text, weight } of texts) {
      for (const word of new Set(wordsOf(text))) {
        if (!frequencies.has(word) && frequencies.size >= MAX_WORDS) continue;
        frequencies.set(word, (frequencies.get(word) ?? 0) + weight);
        length += weight;
      }
    }
    const title = new Set(wordsOf(texts[0]?.text ?? ''));
    const server = wordsOf(tool.ref.server);
    const entry = { tool, instructions, frequencies, title, server, length };
    this.#known.set(tool, entry);
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

function postingsOf(entries: readonly Entry[]): ReadonlyMap<string, Posting> {
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

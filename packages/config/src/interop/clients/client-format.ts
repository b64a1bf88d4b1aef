import type { JsonObject, JsonValue } from '../../jsonc/json-value.js';

/** What became of one entry on its way from or to another program: notes say what is not the same any more. */
export type Conversion =
  { readonly entry: JsonObject; readonly notes: readonly string[] } | { readonly reason: string };

/** What is known of the place that an entry comes from. */
export interface ClientReadOptions {
  readonly home: string;
  /** Folder of the project, where it is known. */
  readonly project: string | undefined;
  /** The program that the entry starts replaces `${NAME}` by itself: what the host does not know is passed on as it is. */
  readonly passesVariables?: boolean;
}

export interface ClientFile {
  readonly base: 'home' | 'project';
  readonly path: string;
}

/** The configuration of another program: where it lies, and how its entries differ from ours. */
export interface ClientFormat {
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** Types of our entries that it can hold. Others are written as a bridge. */
  readonly transports: readonly string[];
  /** False: what looks like a variable is a text there. Default true. */
  readonly expandsVariables?: boolean;
  /** An entry of `env` may name a variable that the program hands on. Default false. */
  readonly inheritsNamed?: boolean;
  /** Keys that lead to the map of servers: the first that is there is read, the first of all is written. */
  readonly servers: readonly (readonly string[])[];
  /** In the order in which they are read; of two servers with one name the first counts. */
  readonly files: (platform: NodeJS.Platform) => readonly ClientFile[];
  readonly read: (entry: JsonObject, context: ClientReadOptions) => Conversion;
  /** Given an entry with `type` set and `apiKey` turned into a header. */
  readonly write: (entry: JsonObject) => Conversion;
}

/** An entry while it is put together. */
export type Draft = Record<string, JsonValue>;

/**
 * How one field is carried over: under another name, by a function that fills the draft and may return a note, or
 * `null` when nothing is lost without it.
 */
export type FieldRule = string | null | ((value: JsonValue, draft: Draft) => string | undefined | void);

/** Carries the fields of an entry over; a field without a rule is left out with a note. */
export function convertFields(
  entry: JsonObject,
  rules: Readonly<Record<string, FieldRule>>,
  there: string,
): { readonly entry: JsonObject; readonly notes: readonly string[] } {
  const draft: Draft = {};
  const notes: string[] = [];
  for (const [field, value] of Object.entries(entry)) {
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
    if (rule === null) continue;
    if (rule === undefined) notes.push(`"${field}" has no counterpart ${there} and was left out.`);
    else if (typeof rule === 'string') draft[rule] = value;
    else {
      const note = rule(value, draft);
      if (typeof note === 'string') notes.push(note);
    }
  }
  return { entry: draft, notes };
}

/** Rules for fields that are called the same on both sides. */
export function sameNames<const Names extends readonly string[]>(
  ...names: Names
): Record<Names[number], string> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are exactly these names
  return Object.fromEntries(names.map((name) => [name, name])) as Record<Names[number], string>;
}

/** Where a program keeps a file of the user on each platform, relative to the home directory. */
export function userFile(
  platform: NodeJS.Platform,
  paths: { readonly linux: string; readonly darwin: string; readonly win32: string },
): ClientFile {
  const known = platform === 'darwin' || platform === 'win32' ? platform : 'linux';
  return { base: 'home', path: paths[known] };
}

/** Seconds in a file of another program as our milliseconds; undefined for what is no such number. */
export function secondsToMs(value: JsonValue): number | undefined {
  return typeof value === 'number' && value > 0 ? Math.max(1, Math.round(value * 1000)) : undefined;
}

/** Conversions one after the other, with the notes of all. */
export function chain(first: Conversion, next: (entry: JsonObject) => Conversion): Conversion {
  if ('reason' in first) return first;
  const second = next(first.entry);
  return 'reason' in second ? second : { entry: second.entry, notes: [...first.notes, ...second.notes] };
}

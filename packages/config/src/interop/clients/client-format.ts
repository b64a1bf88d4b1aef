import type { JsonObject, JsonValue } from '../../jsonc/json-value.js';

/** The result of converting one entry: `notes` say what was changed or lost, `reason` why it cannot be converted. */
export type Conversion =
  { readonly entry: JsonObject; readonly notes: readonly string[] } | { readonly reason: string };

/** What reading an entry of a client needs to know. */
export interface ClientReadOptions {
  readonly home: string;
  /** Folder that `${workspaceFolder}` stands for; undefined if it is not known. */
  readonly project: string | undefined;
  /** True if the program that the entry starts expands `${NAME}` by itself: unknown variables are passed on to it. */
  readonly passesVariables?: boolean;
}

/** A file in which a client keeps its configuration. */
export interface ClientFile {
  readonly base: 'home' | 'project';
  /** Path below `base`, with `/`. */
  readonly path: string;
}

/** The configuration format of another client: where its files are, and how its entries are converted. */
export interface ClientFormat {
  /** Name of the client, for messages. */
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** Types of transport that it supports. Servers of other types are written as a bridge. */
  readonly transports: readonly string[];
  /** False if the client does not expand variables, so that `${NAME}` is literal text there. Default: true. */
  readonly expandsVariables?: boolean;
  /** Whether `env` of an entry may pass on a variable of the client's environment by name. Default: false. */
  readonly inheritsNamed?: boolean;
  /** Keys that lead to the object with the servers. The first path that exists is read; the first of all is written. */
  readonly servers: readonly (readonly string[])[];
  /** The files, in the order in which they are read. Of two servers with one name, the first is used. */
  readonly files: (platform: NodeJS.Platform) => readonly ClientFile[];
  /** Converts an entry of the client to one of ours. */
  readonly read: (entry: JsonObject, options: ClientReadOptions) => Conversion;
  /** Converts one of our entries, with `type` set and `apiKey` moved into a header, to one of the client. */
  readonly write: (entry: JsonObject) => Conversion;
}

/** An entry under construction. */
export type Draft = Record<string, JsonValue>;

/**
 * How one field is converted: it is renamed (a string), a function writes to the draft and may return a note, or it is
 * dropped without a note (`null`).
 */
export type FieldRule = string | null | ((value: JsonValue, draft: Draft) => string | undefined | void);

/** Converts the fields of an entry. A field without a rule is dropped with a note. */
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
    if (rule === undefined) notes.push(`"${field}" has no equivalent ${there} and was removed.`);
    else if (typeof rule === 'string') draft[rule] = value;
    else {
      const note = rule(value, draft);
      if (typeof note === 'string') notes.push(note);
    }
  }
  return { entry: draft, notes };
}

/** Rules for fields that have the same name in both formats. */
export function sameNames<const Names extends readonly string[]>(
  ...names: Names
): Record<Names[number], string> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are exactly these names
  return Object.fromEntries(names.map((name) => [name, name])) as Record<Names[number], string>;
}

/** A client's file in the home directory, which differs by platform. */
export function userFile(
  platform: NodeJS.Platform,
  paths: { readonly linux: string; readonly darwin: string; readonly win32: string },
): ClientFile {
  const known = platform === 'darwin' || platform === 'win32' ? platform : 'linux';
  return { base: 'home', path: paths[known] };
}

/** Converts seconds to milliseconds; undefined if the value is not a positive number. */
export function secondsToMilliseconds(value: JsonValue): number | undefined {
  return typeof value === 'number' && value > 0 ? Math.max(1, Math.round(value * 1000)) : undefined;
}

/** Runs a second conversion on the result of the first, and collects the notes of both. */
export function chain(first: Conversion, next: (entry: JsonObject) => Conversion): Conversion {
  if ('reason' in first) return first;
  const second = next(first.entry);
  return 'reason' in second ? second : { entry: second.entry, notes: [...first.notes, ...second.notes] };
}

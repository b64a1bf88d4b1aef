import { COMMON_FIELDS, MEMBERS } from '../../entry/entry-schema.js';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../jsonc/json-value.js';
import type { ByPlatform, KeyPath } from '../../layout/layout.js';
import { foldWord, meaningIn, meaningOf, PROGRAMS, type ProgramWords } from '../../words/foreign-words.js';
import type { InteropClient } from './all-clients.js';
import type { VariableRules } from './client-variables.js';

/** The result of converting one entry: `notes` say what was changed or lost, `reason` why it cannot be converted. */
export type Conversion =
  { readonly entry: JsonObject; readonly notes: readonly string[] } | { readonly reason: string };

/** Options for reading an entry of a client. */
export interface ClientReadOptions {
  readonly home: string;
  /** Folder that `${workspaceFolder}` stands for; undefined if it is not known. */
  readonly project: string | undefined;
  /** True if the program that the entry starts expands `${NAME}` by itself: unknown variables are passed on to it. */
  readonly passesVariables?: boolean;
}

/** The configuration format of another client: where its files are, and how its entries are converted. */
export interface ClientFormat {
  /** Name of the client, for messages. */
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** Types of transport that it supports. Servers of other types are written as a bridge. */
  readonly transports: readonly string[];
  /** True if it connects to Unix sockets and named pipes; otherwise their servers are written as a bridge. Default: false. */
  readonly sockets?: boolean;
  /** False if the client does not expand variables, so that `${NAME}` is literal text there. Default: true. */
  readonly expandsVariables?: boolean;
  /** If true, `env` of an entry may pass on a variable of the client's environment by name. Default: false. */
  readonly inheritsNamed?: boolean;
  /** Keys that lead to the object with the servers. The first path that exists is read; the first of all is written. */
  readonly servers: readonly KeyPath[];
  /** Keys that lead to the servers of one project in the user's file; they are read first. Default: none. */
  readonly projectServers?: KeyPath;
  /**
   * Paths of its files below the root of a project and below the home directory, with `/`, in the order in which they are read. Of two
   * servers with one name, the first is used.
   */
  readonly files: {
    readonly project?: readonly string[];
    readonly home: readonly (string | ByPlatform)[];
  };
  /** Converts an entry of the client to one of ours. */
  readonly read: (entry: JsonObject, options: ClientReadOptions) => Conversion;
  /** Converts one of our entries, with `type` set and `apiKey` moved into a header, to one of the client. */
  readonly write: (entry: JsonObject) => Conversion;
}

/** An entry under construction. */
export type Draft = Record<string, JsonValue>;

/**
 * Conversion of one field: it is renamed (a string), a function writes to the draft and may return a note, or it is dropped without a note
 * (`null`).
 */
export type FieldRule =
  string | null | ((value: JsonValue, draft: Draft, entry: JsonObject) => string | undefined | void);

type FieldRules = Readonly<Record<string, FieldRule>>;

/** A client whose entries are converted field by field. */
interface FieldFormat extends Omit<ClientFormat, 'read' | 'write'> {
  readonly variables: VariableRules;
  /** Fields that have the same name in both formats. */
  readonly same: readonly string[];
  /** Changes an entry of the client before its fields are read. */
  readonly beforeRead?: (entry: JsonObject) => Conversion;
  readonly reads?: FieldRules;
  /** Changes an entry of ours before its fields are written. */
  readonly beforeWrite?: (entry: JsonObject) => JsonObject;
  /** `type` is dropped, unless there is a rule for it. */
  readonly writes?: FieldRules;
}

/** Creates the format of a client whose entries are converted field by field. */
export function byFields(
  client: InteropClient,
  { variables, same, beforeRead, reads, beforeWrite, writes, ...format }: FieldFormat,
): ClientFormat {
  const rules = { type: null, ...Object.fromEntries(same.map((name) => [name, name])), ...writes };
  const { before = (entry) => entry, after, write } = variables;
  return {
    ...format,
    read: (entry, options) =>
      chain(beforeRead?.(entry) ?? { entry, notes: [] }, (prepared) =>
        chain(
          readFields(client, before(prepared), reads),
          (ours) => after?.(ours, options) ?? { entry: ours, notes: [] },
        ),
      ),
    write: (entry) =>
      chain(writeFields(client, format.title, beforeWrite?.(entry) ?? entry, rules), (theirs) =>
        write(theirs, format.title),
      ),
  };
}

/** Converts the members of an object. One without a rule is dropped with a note. */
export function convertFields(
  entry: JsonObject,
  rules: FieldRules,
  there: string,
): { readonly entry: JsonObject; readonly notes: readonly string[] } {
  const draft: Draft = {};
  const notes: string[] = [];
  for (const [field, value] of Object.entries(entry)) {
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
    if (rule === undefined) notes.push(`"${field}" has no equivalent ${there} and was removed.`);
    else notes.push(...applyRule(rule, value, draft, entry));
  }
  return { entry: draft, notes };
}

function applyRule(rule: FieldRule, value: JsonValue, draft: Draft, entry: JsonObject): readonly string[] {
  const note = typeof rule === 'function' ? rule(value, draft, entry) : undefined;
  if (typeof rule === 'string') draft[rule] = value;
  return typeof note === 'string' ? [note] : [];
}

/**
 * Converts the words of a client to ours: first by `rules`, then by the table of words. What neither of them has is kept;
 * `importServers` removes it with a note, and obeys the words that switch something off.
 */
export function readFields(
  client: InteropClient,
  entry: JsonObject,
  rules: FieldRules = {},
): { readonly entry: JsonObject; readonly notes: readonly string[] } {
  const draft: Draft = {};
  const notes: string[] = [];
  for (const [field, value] of Object.entries(entry)) {
    const rule = Object.hasOwn(rules, field) ? rules[field] : ruleFor(client, field);
    notes.push(...applyRule(rule === undefined ? field : rule, value, draft, entry));
  }
  return { entry: draft, notes };
}

function ruleFor(client: InteropClient, field: string): FieldRule | undefined {
  const meaning =
    meaningIn(PROGRAMS[client], field) ?? (COMMON_FIELDS.has(field) ? undefined : meaningOf(field));
  switch (meaning?.kind) {
    case 'field':
      return (value, draft) => {
        const [own = '', member] = meaning.field.split('.');
        if (member !== undefined) return mergeMembers(draft, own, { [member]: value });
        draft[own] = value;
        return undefined;
      };
    case 'seconds':
      return (value, draft) => {
        const milliseconds = secondsToMilliseconds(value);
        if (milliseconds === undefined) return `"${field}" is not a number of seconds and was removed.`;
        draft[meaning.field] = milliseconds;
        return undefined;
      };
    // Our field of that name means something else.
    case 'only':
      return COMMON_FIELDS.has(field) ? 'enabledTools' : undefined;
    default:
      return field === 'oauth' ? readOauth : undefined;
  }
}

/** Adds members to a field that is an object. */
export function mergeMembers(draft: Draft, field: string, members: JsonValue | undefined): undefined {
  const present = draft[field];
  draft[field] = { ...(isJsonObject(present) && present), ...(isJsonObject(members) && members) };
}

/** The words of a text with spaces between them: scopes. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** Members of `oauth` are spelled in several ways, and scopes may be one text. */
function readOauth(value: JsonValue, draft: Draft): undefined {
  if (!isJsonObject(value)) {
    draft['oauth'] = value;
    return;
  }
  for (const [member, each] of Object.entries(value)) {
    const ours = MEMBERS['oauth']?.find((known) => foldWord(known) === foldWord(member));
    const isText = member === 'scope' && typeof each === 'string';
    mergeMembers(draft, 'oauth', isText ? { scopes: wordsOf(each) } : { [ours ?? member]: each });
  }
  draft['oauth'] ??= {};
}

/** Converts an entry of ours to the words of a client. What would run there although it may not run here is a reason to refuse. */
export function writeFields(
  client: InteropClient,
  title: string,
  entry: JsonObject,
  rules: FieldRules,
): Conversion {
  const { disabled, deniedTools, enabledTools, ...rest } = entry;
  const { off, denied, only }: ProgramWords = PROGRAMS[client];
  const { entry: written, notes } = convertFields(rest, rules, `in ${title}`);
  if (disabled === true && off === undefined)
    return { reason: `The server is switched off, which ${title} cannot say: it would start there.` };
  const lists = [
    ['deniedTools', deniedTools, denied],
    ['enabledTools', enabledTools, only],
  ] as const;
  for (const [field, value, word] of lists) {
    if (value === undefined || (field === 'deniedTools' && Array.isArray(value) && value.length === 0))
      continue;
    if (word === undefined)
      return {
        reason: `"${field}" cannot be written for ${title}, so tools that may not run here could run there.`,
      };
    if (JSON.stringify(value).includes('*'))
      return { reason: `"${field}" has a pattern, and ${title} only knows names of tools.` };
  }
  return {
    entry: {
      ...written,
      ...(disabled === true && off !== undefined && { [off[0]]: off[1] }),
      ...(denied !== undefined &&
        isJsonList(deniedTools) &&
        deniedTools.length > 0 && { [denied]: deniedTools }),
      ...(only !== undefined && enabledTools !== undefined && { [only]: enabledTools }),
    },
    notes,
  };
}

/** Converts seconds to milliseconds; undefined if the value is not a positive number. */
function secondsToMilliseconds(value: JsonValue): number | undefined {
  return typeof value === 'number' && value > 0 ? Math.max(1, Math.round(value * 1000)) : undefined;
}

/** Runs a second conversion on the result of the first, and collects the notes of both. */
export function chain(first: Conversion, next: (entry: JsonObject) => Conversion): Conversion {
  if ('reason' in first) return first;
  const second = next(first.entry);
  return 'reason' in second ? second : { entry: second.entry, notes: [...first.notes, ...second.notes] };
}

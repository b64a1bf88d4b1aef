import type { ServerConfig, TransportPlugin } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { nearestNames } from '@mcp-fittings/toolbox/text';
import { printable } from '../display-text.js';
import { COMMON_FIELDS, MEMBERS } from './entry-schema.js';
import { declaredFields } from './plugin-schema.js';
import type { EntryIssue } from '../problems.js';
import { foldWord, isRemark, isRestriction, meaningOf, type Meaning } from '../words/foreign-words.js';

/** Common fields that only a transport reads. */
const OF_TRANSPORT: ReadonlySet<string> = new Set([
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'apiKey',
]);

const OBEYED = 'What it switches off is obeyed; nothing else in it is read.';

/** A shorter time limit is most likely a number of seconds. */
const SHORTEST_MS = 1000;

/**
 * Returns a warning for each field of a normalized entry that has no effect.
 *
 * @param plugin The transport of the entry. Without one that declares its fields, only words of other programs are named.
 */
export function ignoredFields(
  config: ServerConfig,
  plugin: TransportPlugin | undefined,
): readonly EntryIssue[] {
  const declared = plugin && declaredFields(plugin);
  const transport = declared && new Set(declared);
  const ignored: EntryIssue[] = [];
  for (const [field, value] of Object.entries(config)) {
    if (isRead(field, transport)) {
      const known = MEMBERS[field] ?? [];
      for (const member of ignoredMembers(field, value))
        ignored.push(withoutEffect(`${field}.${member}`, nameAdvice(member, known, `${field}.`)));
    } else if (!isRemark(field) && !(transport === undefined && isUnknown(field))) {
      ignored.push(withoutEffect(field, adviceFor(field, transport)));
    }
  }
  const { timeout } = config;
  if (typeof timeout === 'number' && timeout < SHORTEST_MS) {
    ignored.push({
      code: 'FIELD_SUSPICIOUS',
      path: 'timeout',
      message: `"timeout" is ${String(timeout)} milliseconds.`,
      hint: 'If you mean seconds, as in some other programs, multiply it by 1000.',
    });
  }
  return ignored;
}

/** Removes the fields that nothing here reads, for an entry of another program. Returns one sentence for each of them. */
export function removeIgnored(config: ServerConfig): {
  readonly config: ServerConfig;
  readonly notes: readonly string[];
} {
  const kept: Record<string, unknown> = {};
  const notes: string[] = [];
  const removed = (path: string, meaning?: Meaning): void => {
    const advice =
      meaning?.kind === 'lost' ? ` ${meaning.advice}` : meaning && isRestriction(meaning) ? ` ${OBEYED}` : '';
    notes.push(`"${printable(path)}" has no equivalent here and was removed.${advice}`);
  };
  for (const [field, value] of Object.entries(config)) {
    const ignored = ignoredMembers(field, value);
    if (!COMMON_FIELDS.has(field)) {
      if (!isRemark(field)) removed(field, meaningOf(field));
    } else if (ignored.length === 0 || !isRecord(value)) kept[field] = value;
    else {
      kept[field] = Object.fromEntries(Object.entries(value).filter(([member]) => !ignored.includes(member)));
      for (const member of ignored) removed(`${field}.${member}`);
    }
  }
  return { config: kept, notes };
}

function isRead(field: string, transport: ReadonlySet<string> | undefined): boolean {
  if (transport === undefined) return COMMON_FIELDS.has(field);
  return transport.has(field) || (COMMON_FIELDS.has(field) && !OF_TRANSPORT.has(field));
}

function isUnknown(field: string): boolean {
  return meaningOf(field) === undefined && ownSpelling(field, [...COMMON_FIELDS]) === undefined;
}

/** Members of a field that nothing reads. Only fields whose members are all known have such members. */
function ignoredMembers(field: string, value: unknown): readonly string[] {
  const members = Object.hasOwn(MEMBERS, field) ? (MEMBERS[field] ?? []) : [];
  if (members.length === 0 || !isRecord(value)) return [];
  return Object.keys(value).filter((member) => !members.includes(member) && !isRemark(member));
}

function withoutEffect(field: string, hint: string): EntryIssue {
  return { code: 'FIELD_IGNORED', path: field, message: `"${printable(field)}" has no effect here.`, hint };
}

function adviceFor(field: string, transport: ReadonlySet<string> | undefined): string {
  if (OF_TRANSPORT.has(field)) return 'The transport of this server does not use it.';
  const meaning = meaningOf(field);
  switch (meaning?.kind) {
    case 'field':
      return `Use "${meaning.field}".`;
    case 'seconds':
      return `Use "${meaning.field}", in milliseconds.`;
    case 'grant':
      return 'To let tools run without a question, list them in "allowedTools".';
    case 'lost':
      return meaning.advice;
    case 'off':
    case 'denied':
    case 'only':
      return OBEYED;
    default:
      return nameAdvice(field, [...COMMON_FIELDS, ...(transport ?? [])], '');
  }
}

function nameAdvice(field: string, known: readonly string[], prefix: string): string {
  const near = ownSpelling(field, known) ?? nearestNames(field, known)[0];
  return near === undefined ? 'Remove it, or check its spelling.' : `Did you mean "${prefix}${near}"?`;
}

function ownSpelling(field: string, known: readonly string[]): string | undefined {
  const word = foldWord(field);
  return known.find((name) => foldWord(name) === word);
}

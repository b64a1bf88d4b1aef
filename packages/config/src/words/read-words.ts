import { isJsonObject, isTexts, type JsonObject, type JsonValue } from '../jsonc/json-value.js';
import type { EntryIssue } from '../problems.js';
import {
  isMisspelling,
  isRemark,
  isRestriction,
  meaningOf,
  RESTRICTING_WORDS,
  toolNames,
  type Meaning,
} from './foreign-words.js';

/** The fields that restrict what a server may do, in our words. */
export interface Restrictions {
  readonly disabled?: true;
  readonly deniedTools?: readonly string[];
  readonly enabledTools?: readonly string[];
}

/**
 * Replaces the words by which other programs switch off a server or tools by our own. A word whose value is not understood, and
 * a field that looks like a misspelled one, is an issue: the entry is refused, because ignoring it could run what the user
 * has switched off.
 *
 * @param known Fields that are read as they are, such as those of the installed transports.
 */
export function obeyRestrictions(
  entry: JsonObject,
  known: ReadonlySet<string>,
): {
  readonly entry: JsonObject;
  readonly issues: readonly EntryIssue[];
  /** The words that switch off the server. */
  readonly switchedOffBy: readonly string[];
} {
  const issues: EntryIssue[] = [];
  const switchedOffBy: string[] = [];
  const kept: Record<string, JsonValue> = {};
  let restrictions: Restrictions = {};
  for (const [path, field, value] of wordsOf(entry)) {
    const meaning = known.has(field) || isRemark(field) ? undefined : meaningOf(path);
    if (meaning === undefined || !isRestriction(meaning)) {
      if (path !== field || holdsOnlyWords(field, value)) continue;
      kept[field] = value;
      if (!known.has(field) && meaning === undefined) issues.push(...misspelled(field));
      continue;
    }
    // What is not a list of names may say more than what it denies.
    if (meaning.kind !== 'off' && isJsonObject(value)) kept[field] = entry[field] ?? null;
    const found = value === null ? {} : restrictionOf(meaning, value);
    if (found === undefined) issues.push(unclear(path, meaning));
    else restrictions = restrictBy(restrictions, found);
    if (found?.disabled === true) switchedOffBy.push(path);
  }
  return { entry: restrict(kept, restrictions), issues, switchedOffBy };
}

/** Adds restrictions to an entry. What the entry already restricts stays restricted. */
export function restrict<Entry extends Readonly<Record<string, unknown>>>(
  entry: Entry,
  restrictions: Restrictions,
): Entry & Restrictions {
  const { deniedTools, enabledTools } = entry;
  const own: Restrictions = {
    ...(isTexts(deniedTools) && { deniedTools }),
    ...(isTexts(enabledTools) && { enabledTools }),
  };
  return { ...entry, ...restrictBy(own, restrictions) };
}

/** Combines two restrictions: what either forbids is forbidden. */
export function restrictBy(one: Restrictions, other: Restrictions): Restrictions {
  const denied = [...(one.deniedTools ?? []), ...(other.deniedTools ?? [])];
  const enabled =
    one.enabledTools !== undefined && other.enabledTools !== undefined
      ? one.enabledTools.filter((tool) => other.enabledTools?.includes(tool))
      : (one.enabledTools ?? other.enabledTools);
  return {
    ...((one.disabled ?? other.disabled) && { disabled: true }),
    ...(denied.length > 0 && { deniedTools: [...new Set(denied)] }),
    ...(enabled !== undefined && { enabledTools: enabled }),
  };
}

/** The fields of an entry, and the members of those that stand for a program: `anythingllm.autoStart`. */
function* wordsOf(entry: JsonObject): Generator<readonly [path: string, field: string, value: JsonValue]> {
  for (const [field, value] of Object.entries(entry)) {
    yield [field, field, value];
    if (!isJsonObject(value)) continue;
    for (const [member, inner] of Object.entries(value)) {
      const path = `${field}.${member}`;
      if (meaningOf(path) !== undefined) yield [path, field, inner];
    }
  }
}

/** Returns true if a field only has members that are words themselves. */
function holdsOnlyWords(field: string, value: JsonValue): boolean {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return false;
  return Object.keys(value).every((member) => meaningOf(`${field}.${member}`) !== undefined);
}

function restrictionOf(meaning: Meaning, value: JsonValue): Restrictions | undefined {
  if (meaning.kind === 'off') {
    if (typeof value !== 'boolean') return undefined;
    return value === meaning.value ? { disabled: true } : {};
  }
  const names = toolNames(value);
  if (names === undefined) return undefined;
  if (meaning.kind === 'denied' || !Array.isArray(value)) return { deniedTools: names };
  // Some programs write that all tools are offered.
  return names.includes('*') ? {} : { enabledTools: names };
}

function unclear(field: string, meaning: Meaning): EntryIssue {
  const wanted = meaning.kind === 'off' ? 'true or false' : 'a list of names of tools';
  const ours = { off: 'disabled', denied: 'deniedTools', only: 'enabledTools' };
  return {
    code: 'FIELD_INVALID',
    path: field,
    message: `"${field}" must be ${wanted}. What it switches off is not known, so the server is not used.`,
    hint: `Use "${ours[meaning.kind === 'off' || meaning.kind === 'denied' ? meaning.kind : 'only']}".`,
  };
}

/** A longer field is not a misspelled word. */
const LONGEST_WORD = 64;

function misspelled(field: string): readonly EntryIssue[] {
  if (field.length > LONGEST_WORD) return [];
  const meant = RESTRICTING_WORDS.find((each) => isMisspelling(field, each));
  if (meant === undefined || isRemark(field)) return [];
  return [
    {
      code: 'FIELD_INVALID',
      path: field,
      message: `"${field}" is not a field, and looks like one that switches off a server or its tools.`,
      hint: 'Use "disabled", "deniedTools" or "enabledTools".',
    },
  ];
}

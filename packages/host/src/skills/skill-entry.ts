import { isRecord } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { Skill, SkillFileEntry } from './skills.js';

/** Every host supports skills up to these limits. */
export const MAX_FILES = 512;
export const MAX_SKILL_BYTES = 16 * 1024 * 1024;

const MAIN_FILE = '/SKILL.md';

/** Returns the skill that an entry of the server describes, or why it cannot be used, as a sentence. */
export function readSkillEntry(entry: unknown, allowDynamic: boolean): Skill | string {
  if (!isRecord(entry) || typeof entry['uri'] !== 'string') return 'An entry of a skill has no "uri".';
  const { uri, frontmatter, resources } = entry;
  const unusable = (why: string): string => unusableSkill(uri, why);
  if (!uri.endsWith(MAIN_FILE)) return unusable('its URI is not that of a SKILL.md');
  if (
    !isRecord(frontmatter) ||
    typeof frontmatter['name'] !== 'string' ||
    typeof frontmatter['description'] !== 'string'
  )
    return unusable('it has no name or no description');
  if (resources === 'dynamic') {
    if (allowDynamic) return { uri, frontmatter, files: 'dynamic' };
    return unusable('the server generates its content, which cannot be verified');
  }
  if (!Array.isArray(resources)) return unusable('it does not list its files');
  if (resources.length > MAX_FILES) return unusable(`it has more than ${MAX_FILES} files`);
  const files = resources.map(readFileEntry);
  if (!files.every((file) => file !== undefined))
    return unusable('a file has no valid "uri", "digest" or "size"');
  const uris = new Set(files.map((file) => file.uri));
  if (uris.size < files.length) return unusable('it lists a file twice');
  if (!uris.has(uri)) return unusable('it does not list its own SKILL.md');
  if (!files.every((file) => isWithin(uri, file.uri)))
    return unusable('it lists a file outside its directory');
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_SKILL_BYTES)
    return unusable(`it has more than ${MAX_SKILL_BYTES} bytes`);
  return { uri, frontmatter, files };
}

/** Says that a skill cannot be used, and why. */
export function unusableSkill(uri: string, why: string): string {
  return `The skill "${sanitizeText(uri, { maxLength: 200 })}" cannot be used, because ${why}.`;
}

/**
 * Returns whether a file is in the directory of a skill, or below it.
 *
 * @param skill URI of the skill's SKILL.md.
 */
export function isWithin(skill: string, file: string): boolean {
  const directory = skill.slice(0, -MAIN_FILE.length + 1);
  return file.startsWith(directory) && file.slice(directory.length).split('/').every(isName);
}

/** Returns whether a segment of a URI names one entry of a directory, also after the server or a file system has decoded it. */
export function isName(segment: string): boolean {
  return !/^(?:\.|%2e){0,2}$|%2f|%5c|\\/i.test(segment);
}

function readFileEntry(value: unknown): SkillFileEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { uri, digest, size } = value;
  const isValid =
    typeof uri === 'string' &&
    typeof digest === 'string' &&
    /^sha256:[0-9a-f]{64}$/.test(digest) &&
    typeof size === 'number' &&
    Number.isSafeInteger(size) &&
    size >= 0;
  return isValid ? { uri, digest, size } : undefined;
}

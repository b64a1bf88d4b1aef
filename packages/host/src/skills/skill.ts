import { isRecord } from '@mcp-fittings/client-core';

/** A skill as its server lists it: what it is for, and which files it consists of. */
export interface Skill {
  /** URI of its SKILL.md. */
  readonly uri: string;
  /** What the front matter of SKILL.md says; always a name and a description. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly files: readonly SkillFileEntry[];
}

export interface SkillFileEntry {
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

export interface SkillList {
  readonly skills: readonly Skill[];
  /** Entries that were left out, and why. */
  readonly skipped: readonly string[];
}

/** A file whose size, digest and, for SKILL.md, front matter were found to be what the list says. */
export interface SkillFile {
  readonly uri: string;
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
}

/** A skill from one entry of `skills/list`, or what is wrong with the entry. */
export function toSkill(entry: unknown): Skill | string {
  if (!isRecord(entry)) return 'an entry is not an object';
  const { uri, frontmatter, resources } = entry;
  if (typeof uri !== 'string' || !isRecord(frontmatter)) return 'an entry has no "uri" or no "frontmatter"';
  if (typeof frontmatter['name'] !== 'string' || typeof frontmatter['description'] !== 'string') {
    return 'a skill has no name or no description';
  }
  const files = (Array.isArray(resources) ? resources : []).map(toFileEntry);
  if (!files.every((file) => file !== undefined))
    return 'a file of a skill has no valid "uri", "digest" or "size"';
  if (!files.some((file) => file.uri === uri)) return 'a skill does not list its own SKILL.md';
  return { uri, frontmatter, files };
}

function toFileEntry(value: unknown): SkillFileEntry | undefined {
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

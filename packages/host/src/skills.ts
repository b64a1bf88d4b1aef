import { createHash } from 'node:crypto';
import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { canonicalJson, sanitizeText } from '@mcp-fittings/toolbox/text';
import type { ResourceContents } from './contracts/content.js';
import type { CallOptions, Host } from './contracts/host.js';

/** Id of the extension, as it is declared: `sdk({ …, extensions: { [SKILLS_EXTENSION]: {} } })`. */
const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';
/** Most pages of `skills/list` that are read. */
const MAX_PAGES = 64;
/** Longest cursor that is sent back, in characters. */
const MAX_CURSOR = 65_536;

/** A skill as its server lists it: what it is for, and the files it consists of. */
export interface Skill {
  /** URI of the skill's SKILL.md. */
  readonly uri: string;
  /** Parsed front matter of SKILL.md; always has a `name` and a `description`. All text is the server's. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** Every file of the skill, SKILL.md included. */
  readonly files: readonly SkillFileEntry[];
}

/** Entry of one file in the list of skills; {@link Skills.read} verifies the file against it. */
export interface SkillFileEntry {
  /** URI to pass to {@link Skills.read}. */
  readonly uri: string;
  /** SHA-256 of the file: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Size in bytes. */
  readonly size: number;
}

/** Result of {@link Skills.list}. */
export interface SkillList {
  /** The skills whose entries are valid. */
  readonly skills: readonly Skill[];
  /** Reasons why the other entries were left out, one sentence per entry. */
  readonly skipped: readonly string[];
}

/** A file whose size, digest and, for SKILL.md, front matter match the list. */
export interface SkillFile {
  /** URI that was read. */
  readonly uri: string;
  /** Media type as the server states it; not verified. */
  readonly mimeType: string | undefined;
  /** Verified content. */
  readonly bytes: Uint8Array;
}

/** Options of {@link createSkills}. */
export interface SkillsOptions {
  /** The host that is connected to the server. */
  readonly host: Pick<Host, 'readResource' | 'request' | 'server'>;
  /** Name of the server in that host. */
  readonly server: string;
  /** Parses YAML, for the front matter of SKILL.md: `parse` of the package `yaml`, for example. */
  readonly parseYaml: (text: string) => unknown;
}

/**
 * Reads the skills of one server. No file is fetched before it is asked for, and no content is returned unverified.
 * @see https://modelcontextprotocol.io/seps/2640-skills-extension
 */
export interface Skills {
  /** True if the server is connected and declares the skills extension. */
  readonly supported: boolean;
  /**
   * Lists the skills without fetching their files; reads at most 64 pages. Rejects with `CAPABILITY_MISSING` if the server
   * does not declare the extension.
   */
  list(options?: CallOptions): Promise<SkillList>;
  /**
   * Fetches and verifies one file of a skill; `uri` defaults to SKILL.md. Rejects with `CONTENT_UNVERIFIED` if its size,
   * digest or front matter differs from the list. In that case do not use the other files of the skill either.
   */
  read(skill: Skill, uri?: string, options?: CallOptions): Promise<SkillFile>;
}

/**
 * Creates a reader for the skills of one server (SEP-2640).
 * @see https://modelcontextprotocol.io/seps/2640-skills-extension
 * @example
 * const skills = createSkills({ host, server: 'docs', parseYaml: parse });
 * if (skills.supported) {
 *   const { skills: [first] } = await skills.list();
 *   if (first !== undefined) console.log(new TextDecoder().decode((await skills.read(first)).bytes));
 * }
 */
export function createSkills({ host, server, parseYaml }: SkillsOptions): Skills {
  const isSupported = (): boolean => {
    const { state } = host.server(server);
    const extensions = state.status === 'connected' ? state.connection.capabilities['extensions'] : undefined;
    return isRecord(extensions) && SKILLS_EXTENSION in extensions;
  };

  const unverified = (uri: string, why: string): FittingsError =>
    new FittingsError(
      'CONTENT_UNVERIFIED',
      `The file "${sanitizeText(uri)}" of the server "${server}" does not match its list of skills: ${why}.`,
      { server, hint: 'Do not use this skill, and report it to the operator of the server.' },
    );

  return {
    get supported() {
      return isSupported();
    },
    async list(options) {
      if (!isSupported()) {
        throw new FittingsError('CAPABILITY_MISSING', `The server "${server}" does not offer skills.`, {
          server,
        });
      }
      const entries: unknown[] = [];
      let cursor: unknown;
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const params = typeof cursor === 'string' ? { cursor } : {};
        const result = await host.request({ server, method: 'skills/list' }, params, options);
        const page: unknown = result['skills'];
        // Not spread, because there may be more than a call can have arguments.
        if (Array.isArray(page)) for (const entry of page) entries.push(entry);
        cursor = result['nextCursor'];
        if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR) break;
      }
      const read = entries.map(toSkill);
      return {
        skills: read.filter((skill) => typeof skill !== 'string'),
        skipped: read.filter((skill) => typeof skill === 'string'),
      };
    },
    async read(skill, uri = skill.uri, options) {
      const entry = skill.files.find((file) => file.uri === uri);
      if (entry === undefined) throw unverified(uri, 'the skill does not list it');
      const { contents } = await host.readResource({ server, uri }, options);
      const [content] = contents;
      if (content === undefined) throw unverified(uri, 'the server sent no content');
      const bytes = bytesOf(content);
      const mismatch = mismatchOf(entry, bytes);
      if (mismatch !== undefined) throw unverified(uri, mismatch);
      if (uri === skill.uri && !sameFrontmatter(skill, bytes, parseYaml)) {
        throw unverified(uri, 'its front matter differs');
      }
      return { uri, mimeType: content.mimeType, bytes };
    },
  };
}

/** Returns the skill of one entry of `skills/list`, or why the entry is not valid. */
function toSkill(entry: unknown): Skill | string {
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

function bytesOf({ text, blob }: ResourceContents): Uint8Array {
  return text === undefined ? Buffer.from(blob ?? '', 'base64') : Buffer.from(text, 'utf8');
}

function mismatchOf(entry: SkillFileEntry, bytes: Uint8Array): string | undefined {
  if (bytes.length !== entry.size) return `it has ${bytes.length} bytes instead of ${entry.size}`;
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return digest === entry.digest ? undefined : 'its digest differs';
}

function sameFrontmatter(skill: Skill, bytes: Uint8Array, parseYaml: (text: string) => unknown): boolean {
  const text = new TextDecoder().decode(bytes);
  const yaml = /^---\r?\n([\s\S]*?)\r?\n---(\r?\n|$)/.exec(text)?.[1];
  if (yaml === undefined) return false;
  try {
    return canonicalJson(parseYaml(yaml)) === canonicalJson(skill.frontmatter);
  } catch {
    return false;
  }
}

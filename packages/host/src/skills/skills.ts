import { createHash } from 'node:crypto';
import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import { canonical } from '../catalogue/digest.js';
import type { ResourceContents } from '../contracts/content.js';
import type { CallOptions, Host } from '../contracts/host.js';
import { toSkill, type Skill, type SkillFile, type SkillFileEntry, type SkillList } from './skill.js';

/** Declare it to servers: `sdk({ …, extensions: { [SKILLS_EXTENSION]: {} } })`. */
const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';
/** Pages of `skills/list` that are read. */
const MAX_PAGES = 64;

export interface SkillsOptions {
  readonly host: Pick<Host, 'readResource' | 'request' | 'server'>;
  /** Name of the server. */
  readonly server: string;
  /** Reads YAML, for the front matter: `parse` of the package `yaml` will do. */
  readonly parseYaml: (text: string) => unknown;
}

/**
 * Reads the skills of one server. Nothing is fetched ahead of need, and no content is handed out that was not verified.
 * @see https://modelcontextprotocol.io/seps/2640-skills-extension
 */
export interface Skills {
  /** Whether the connected server declares the extension. */
  readonly supported: boolean;
  /** What there is; fetches no file. Rejects with `CAPABILITY_MISSING` where there are no skills. */
  list(options?: CallOptions): Promise<SkillList>;
  /**
   * Fetches one file of a skill, SKILL.md by default. Rejects with `CONTENT_UNVERIFIED` when its size, its digest or its
   * front matter is not what the list said: then no other file of the skill should be used either.
   */
  read(skill: Skill, uri?: string, options?: CallOptions): Promise<SkillFile>;
}

export function createSkills({ host, server, parseYaml }: SkillsOptions): Skills {
  const isSupported = (): boolean => {
    const { state } = host.server(server);
    const extensions = state.status === 'connected' ? state.connection.capabilities['extensions'] : undefined;
    return isRecord(extensions) && SKILLS_EXTENSION in extensions;
  };

  const refuse = (uri: string, why: string): FittingsError =>
    new FittingsError(
      'CONTENT_UNVERIFIED',
      `"${sanitizeText(uri)}" of "${server}" is not what was listed: ${why}.`,
      {
        server,
        hint: 'Do not use this skill; ask the owner of the server.',
      },
    );

  return {
    get supported() {
      return isSupported();
    },
    async list(options) {
      if (!isSupported()) {
        throw new FittingsError('CAPABILITY_MISSING', `The server "${server}" offers no skills.`, { server });
      }
      const entries: unknown[] = [];
      let cursor: unknown;
      for (let page = 0; page < MAX_PAGES; page++) {
        const params = typeof cursor === 'string' ? { cursor } : {};
        const result = await host.request({ server, method: 'skills/list' }, params, options);
        if (Array.isArray(result['skills'])) entries.push(...result['skills']);
        cursor = result['nextCursor'];
        if (typeof cursor !== 'string') break;
      }
      const read = entries.map(toSkill);
      return {
        skills: read.filter((skill) => typeof skill !== 'string'),
        skipped: read.filter((skill) => typeof skill === 'string'),
      };
    },
    async read(skill, uri = skill.uri, options) {
      const entry = skill.files.find((file) => file.uri === uri);
      if (entry === undefined) throw refuse(uri, 'the skill does not list it');
      const { contents } = await host.readResource({ server, uri }, options);
      const [content] = contents;
      if (content === undefined) throw refuse(uri, 'the server sent nothing');
      const bytes = bytesOf(content);
      const mismatch = mismatchOf(entry, bytes);
      if (mismatch !== undefined) throw refuse(uri, mismatch);
      if (uri === skill.uri && !sameFrontmatter(skill, bytes, parseYaml)) {
        throw refuse(uri, 'its front matter differs');
      }
      return { uri, mimeType: content.mimeType, bytes };
    },
  };
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
    return canonical(parseYaml(yaml)) === canonical(skill.frontmatter);
  } catch {
    return false;
  }
}

import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { ResourceDefinition } from '../contracts/catalog.js';
import type { ResourceContents } from '../contracts/content.js';
import type { CallOptions, ReadOptions } from '../contracts/host.js';
import { validateListEntry } from '../engine/validate-list-entry.js';
import { isName, MAX_FILES, MAX_SKILL_BYTES, readSkillEntry, unusableSkill } from './skill-entry.js';
import type { Skill, SkillDirectory, SkillFile, SkillList, Skills, SkillsOptions } from './skills.js';
import { mismatchOf, notOfSkill } from './verify-file.js';

/** Id of the extension, as it is declared: `createHost({ …, extensions: { [SKILLS_EXTENSION]: {} } })`. */
const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';
/** Most pages of a list that are read. */
const MAX_PAGES = 64;
/** Longest cursor that is sent back, in characters. */
const MAX_CURSOR = 65_536;

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
export function createSkills(options: SkillsOptions): Skills {
  return new ServerSkills(options);
}

class ServerSkills implements Skills {
  readonly #options: SkillsOptions;
  /** Bytes of each file that was read of a dynamic skill, whose entry does not say how large it is. */
  readonly #sizes = new WeakMap<Skill, Map<string, number>>();

  constructor(options: SkillsOptions) {
    this.#options = options;
  }

  get supported(): boolean {
    return this.#settings !== undefined;
  }

  get supportsDirectories(): boolean {
    return this.#settings?.['directoryRead'] === true;
  }

  async list(options?: CallOptions): Promise<SkillList> {
    this.#require(this.supported, 'skills');
    const entries = await this.#readPages('skills/list', {}, 'skills', options);
    const read = entries.map((entry) => readSkillEntry(entry, this.#options.allowDynamic === true));
    return {
      skills: read.filter((skill) => typeof skill !== 'string'),
      skipped: read.filter((skill) => typeof skill === 'string'),
    };
  }

  async get(uri: string, options?: CallOptions): Promise<Skill> {
    this.#require(this.supported, 'skills');
    const { host, server, allowDynamic = false } = this.#options;
    const result = await host.request({ server, method: 'skills/get' }, { uri }, options);
    const skill = readSkillEntry(result['skill'], allowDynamic);
    if (typeof skill !== 'string' && skill.uri === uri) return skill;
    const why =
      typeof skill === 'string' ? skill : unusableSkill(uri, 'the server sent the entry of another one');
    throw new FittingsError('CONTENT_UNVERIFIED', why, {
      server,
      hint: 'Report it to the operator of the server.',
    });
  }

  async read(skill: Skill, uri = skill.uri, options?: CallOptions): Promise<SkillFile> {
    const foreign = notOfSkill(skill, uri);
    if (foreign !== undefined) throw this.#unverified(uri, foreign);
    let file = await this.#readOnce(skill, uri, options);
    // The host may have kept an older file.
    if ('problem' in file) file = await this.#readOnce(skill, uri, { ...options, fresh: true });
    if ('problem' in file) throw this.#unverified(uri, file.problem);
    if (skill.files === 'dynamic') this.#count(skill, file);
    return file;
  }

  async readDirectory(uri: string, options?: CallOptions): Promise<SkillDirectory> {
    this.#require(this.supportsDirectories, 'directories');
    const entries = await this.#readPages('resources/directory/read', { uri }, 'resources', options);
    const resources: ResourceDefinition[] = [];
    const skipped: string[] = [];
    for (const value of entries) {
      const read = readResourceEntry(uri, value);
      if (read.problem === undefined) resources.push(read.entry);
      else skipped.push(read.problem);
    }
    return { resources, skipped };
  }

  /** Returns what the server declares about the extension; undefined if it is not connected or declares nothing. */
  get #settings(): JSONRPCObject | undefined {
    const { host, server } = this.#options;
    const { state } = host.server(server);
    const extensions = state.status === 'connected' ? state.connection.capabilities['extensions'] : undefined;
    const settings = isRecord(extensions) ? extensions[SKILLS_EXTENSION] : undefined;
    return isRecord(settings) ? settings : undefined;
  }

  async #readPages(
    method: string,
    params: JSONRPCObject,
    member: string,
    options: CallOptions | undefined,
  ): Promise<readonly unknown[]> {
    const { host, server } = this.#options;
    const entries: unknown[] = [];
    const cursors = new Set<string>();
    let cursor: string | undefined;
    while (cursors.size < MAX_PAGES) {
      const sent = cursor === undefined ? params : { ...params, cursor };
      const result = await host.request({ server, method }, sent, options);
      const page: unknown = result[member];
      // Not spread, because there may be more than a call can have arguments.
      if (Array.isArray(page)) for (const entry of page) entries.push(entry);
      const next = result['nextCursor'];
      if (typeof next !== 'string' || next.length > MAX_CURSOR || cursors.has(next)) break;
      cursors.add(next);
      cursor = next;
    }
    return entries;
  }

  async #readOnce(
    skill: Skill,
    uri: string,
    options: ReadOptions | undefined,
  ): Promise<SkillFile | { readonly problem: string }> {
    const { host, server, parseYaml } = this.#options;
    const { contents } = await host.readResource({ server, uri }, options);
    const [content] = contents;
    if (content === undefined) return { problem: 'the server sent no content' };
    const bytes = bytesOf(content);
    const problem = mismatchOf(skill, uri, bytes, parseYaml);
    return problem === undefined ? { uri, mimeType: content.mimeType, bytes } : { problem };
  }

  /** Counts a file of a dynamic skill. Throws if it is one too many. */
  #count(skill: Skill, { uri, bytes }: SkillFile): void {
    const sizes = new Map(this.#sizes.get(skill)).set(uri, bytes.length);
    if (sizes.size > MAX_FILES) throw this.#unverified(uri, `the skill has more than ${MAX_FILES} files`);
    if ([...sizes.values()].reduce((sum, size) => sum + size, 0) > MAX_SKILL_BYTES)
      throw this.#unverified(uri, `the files of the skill have more than ${MAX_SKILL_BYTES} bytes`);
    this.#sizes.set(skill, sizes);
  }

  #require(isDeclared: boolean, what: string): void {
    const { server } = this.#options;
    if (isDeclared) return;
    throw new FittingsError('CAPABILITY_MISSING', `The server "${server}" does not offer ${what}.`, {
      server,
    });
  }

  #unverified(uri: string, why: string): FittingsError {
    const { server } = this.#options;
    return new FittingsError(
      'CONTENT_UNVERIFIED',
      `The file "${sanitizeText(uri)}" of the server "${server}" does not match its skill: ${why}.`,
      {
        server,
        hint: 'Do not use this skill until you have read its entry again and the user has agreed to it.',
      },
    );
  }
}

function readResourceEntry(
  directory: string,
  value: unknown,
):
  | { readonly entry: ResourceDefinition; readonly problem?: undefined }
  | { readonly entry?: undefined; readonly problem: string } {
  const checked = validateListEntry('resources', value);
  if (checked.problem !== undefined)
    return { problem: `An entry of the directory has no valid "${checked.problem}".` };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that make an entry were checked
  const entry = checked.entry as JSONRPCObject & ResourceDefinition;
  const name = entry.uri.startsWith(`${directory}/`) ? entry.uri.slice(directory.length + 1) : '';
  if (!name.includes('/') && isName(name)) return { entry };
  return { problem: `"${sanitizeText(entry.uri, { maxLength: 200 })}" is not directly in the directory.` };
}

function bytesOf({ text, blob }: ResourceContents): Uint8Array {
  return text === undefined ? Buffer.from(blob ?? '', 'base64') : Buffer.from(text, 'utf8');
}

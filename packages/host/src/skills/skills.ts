import type { ResourceDefinition } from '../contracts/catalog.js';
import type { CallOptions, Host } from '../contracts/host.js';

/** A skill as its server describes it: what it is for, and the files it consists of. */
export interface Skill {
  /** URI of the skill's SKILL.md. It identifies the skill within its server; names may occur twice. */
  readonly uri: string;
  /** Parsed front matter of SKILL.md; always has a `name` and a `description`. All text is the server's. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /**
   * Every file of the skill, SKILL.md included; or `'dynamic'` if the server generates them, so that they cannot be verified. Bind an
   * approval of the user to each `uri` and `digest`, and do not keep one for a dynamic skill.
   */
  readonly files: readonly SkillFileEntry[] | 'dynamic';
}

/** Entry of one file of a skill; {@link Skills.read} verifies the file against it. */
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
  /** The skills that can be used. A server may have others, which {@link Skills.get} finds. */
  readonly skills: readonly Skill[];
  /** Reasons why the other entries were left out, one sentence per entry. */
  readonly skipped: readonly string[];
}

/** A file whose size and digest match the entry of its skill; for SKILL.md, its front matter too. */
export interface SkillFile {
  /** URI that was read. */
  readonly uri: string;
  /** Media type as the server states it; not verified. */
  readonly mimeType: string | undefined;
  /** The content: verified, except for a dynamic skill. */
  readonly bytes: Uint8Array;
}

/** Result of {@link Skills.readDirectory}. */
export interface SkillDirectory {
  /** Entries of the directory itself. Directories have the media type `inode/directory`. */
  readonly resources: readonly ResourceDefinition[];
  /** Reasons why other entries were left out, one sentence per entry. */
  readonly skipped: readonly string[];
}

/** Options of {@link createSkills}. */
export interface SkillsOptions {
  /** The host that is connected to the server. */
  readonly host: Pick<Host, 'readResource' | 'request' | 'server'>;
  /** Name of the server in that host. */
  readonly server: string;
  /** Parses YAML, for the front matter of SKILL.md: `parse` of the package `yaml`, for example. */
  readonly parseYaml: (text: string) => unknown;
  /**
   * If true, dynamic skills can be used too: only the front matter of their SKILL.md is verified, and a skill gives at most 16 MiB.
   * Default `false`.
   */
  readonly allowDynamic?: boolean | undefined;
}

/**
 * Reads the skills of one server. No file is fetched before it is asked for, and no content is returned unverified, unless
 * {@link SkillsOptions.allowDynamic} is set.
 *
 * A skill that cannot be used has no valid entry, more than 512 files, more than 16 MiB, or a file outside its directory.
 * @see https://modelcontextprotocol.io/seps/2640-skills-extension
 */
export interface Skills {
  /** True if the server is connected and declares the skills extension. */
  readonly supported: boolean;
  /** True if it also declares {@link readDirectory}. */
  readonly supportsDirectories: boolean;
  /**
   * Lists the skills without fetching their files; reads at most 64 pages. Rejects with `CAPABILITY_MISSING` if the server
   * does not declare the extension.
   */
  list(options?: CallOptions): Promise<SkillList>;
  /**
   * Resolves with one skill as it is now: one that the server does not list, or whose files have changed since. Rejects with `RPC_ERROR` if
   * the server has no such skill, with `CONTENT_UNVERIFIED` if it cannot be used, and with `CAPABILITY_MISSING` as {@link list} does.
   *
   * @param uri URI of its SKILL.md.
   */
  get(uri: string, options?: CallOptions): Promise<Skill>;
  /**
   * Fetches and verifies one file of a skill; `uri` defaults to SKILL.md. Rejects with `CONTENT_UNVERIFIED` if its size,
   * digest or front matter differs from the entry, or the entry does not list it. In that case do not use the other files of the skill
   * either: {@link get} it again, and ask the user again.
   */
  read(skill: Skill, uri?: string, options?: CallOptions): Promise<SkillFile>;
  /**
   * Lists what is directly in a directory now; reads at most 64 pages. It does not extend {@link Skill.files}, which say what a skill
   * consists of and which {@link read} obeys: for a dynamic skill it is the only way to find its files. Rejects with
   * `CAPABILITY_MISSING` unless {@link supportsDirectories}, and with `RPC_ERROR` if there is no such directory.
   *
   * @param uri URI of the directory, without a slash at the end.
   */
  readDirectory(uri: string, options?: CallOptions): Promise<SkillDirectory>;
}

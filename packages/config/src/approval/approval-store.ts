import { homedir } from 'node:os';
import { join } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { findReplaceable, ownFolder } from '@mcp-fittings/toolbox/files';
import { z } from 'zod';
import { printable } from '../display-text.js';
import { withFileLock } from '../files/file-lock.js';
import { DEFAULT_MAX_FILE_BYTES, isBrokenLink, readTextFile, resolveLinks } from '../files/read-file.js';

/** A decision that outlives the process. */
export interface StoredDecision {
  /** `always` applies to the definition with this {@link hash}, `never` to every definition of the name. */
  readonly decision: 'always' | 'never';
  /** {@link ApprovalRequest.hash} of the definition that was decided on. */
  readonly hash: string;
  /** Time of the decision, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * Stores approval decisions outside of every project. Implement it to store them elsewhere than in a file
 * ({@link createFileApprovalStore}). A store that cannot read its data rejects with a `FittingsError`; it never returns an
 * empty map instead, because "nothing decided" would ask the user again and "never" would be lost.
 */
export interface ApprovalStore {
  /** Path of the file with the decisions, so that {@link watchConfig} can watch it; undefined without a file. */
  readonly file?: string | undefined;
  /** Returns the decisions about the project with this id, by server name. Resolves to an empty map if nothing was decided. */
  read(project: string): Promise<ReadonlyMap<string, readonly StoredDecision[]>>;
  /**
   * Adds a decision about the server `name`. `never` replaces every earlier decision about the name, `always` replaces a
   * `never`; several `always` with different hashes coexist.
   */
  write(
    project: { readonly id: string; readonly root: string },
    name: string,
    decision: StoredDecision,
  ): Promise<void>;
  /** Deletes every decision about the project, or about one server of it. Does nothing if nothing was decided. */
  forget(project: string, name?: string): Promise<void>;
}

/** Number of definitions of one name that stay approved. The oldest is dropped first. */
const MAX_KEPT = 20;

const decisionSchema = z.object({ decision: z.enum(['always', 'never']), hash: z.string(), at: z.number() });
const fileSchema = z.object({
  version: z.literal(1),
  projects: z.record(
    z.string(),
    z.object({ root: z.string(), servers: z.record(z.string(), z.array(decisionSchema)) }),
  ),
});
type FileContent = z.infer<typeof fileSchema>;
const EMPTY: FileContent = { version: 1, projects: {} };

/** Returns the path of the file if none is given. */
export function defaultApprovalPath(home: string, platform: NodeJS.Platform): string {
  return join(ownFolder('config', home, platform), 'approvals.json');
}

/**
 * Creates a store that keeps decisions in a JSON file of the user, with mode 0600. The file holds hashes and names, and no
 * definitions. Processes that write at the same time take turns.
 *
 * Methods reject with `CONFIG_INVALID` if other users may change or replace the file or if its content is malformed (it is
 * not overwritten then), with `CONFIG_READ_ONLY` or `CONFIG_WRITE_FAILED` if it cannot be written, and with `TIMEOUT` if
 * another process holds its lock.
 *
 * @example
 * ```ts
 * const approvals = createServerApprovals({ store: createFileApprovalStore() });
 * const { servers } = await loadConfig({ layout: layouts.mcpJson, approvals });
 * ```
 */
export function createFileApprovalStore(
  options: {
    /**
     * Path of the file. Default: `~/.config/mcp-fittings/approvals.json`, on macOS
     * `~/Library/Application Support/mcp-fittings/approvals.json`, on Windows
     * `%USERPROFILE%\\AppData\\Local\\mcp-fittings\\approvals.json`.
     */
    readonly path?: string | undefined;
    /** Home directory of the default path. Default: `os.homedir()`. Pass the result of {@link homeDirectory}. */
    readonly home?: string | undefined;
    /** Platform whose conventions the default path follows. Default: `process.platform`. */
    readonly platform?: NodeJS.Platform | undefined;
  } = {},
): ApprovalStore {
  const { home = homedir(), platform = process.platform } = options;
  const file = options.path ?? defaultApprovalPath(home, platform);

  const load = async (): Promise<{ readonly content: FileContent; readonly text: string | undefined }> => {
    const self = process.getuid?.();
    const outcome = await readTextFile(file, {
      maxBytes: DEFAULT_MAX_FILE_BYTES,
      privateToOwner: true,
      ...(self !== undefined && { owners: [self, 0] }),
    });
    if (outcome.kind === 'refused') throw unusable(outcome.problem.message, outcome.problem.hint);
    const found = findReplaceable(file);
    if (found !== undefined) {
      const why = `Another user could replace it, because ${printable(found.at)} ${found.fact}.`;
      throw unusable(why, 'Make yourself the owner of the folder and run chmod go-w on it.');
    }
    if (outcome.kind === 'absent') return { content: EMPTY, text: undefined };
    try {
      return { content: fileSchema.parse(JSON.parse(outcome.text)), text: outcome.text };
    } catch (error) {
      throw unusable(
        'Its content is malformed.',
        'Repair the file, or delete it and approve the servers again.',
        error,
      );
    }
  };
  const unusable = (why: string, hint: string | undefined, cause?: unknown): FittingsError =>
    new FittingsError('CONFIG_INVALID', `Cannot use the approvals file ${printable(file)}. ${why}`, {
      hint,
      cause,
    });

  const change = async (edit: (content: FileContent) => FileContent): Promise<void> => {
    if (await isBrokenLink(file))
      throw unusable('It is a symbolic link to a file that does not exist.', 'Remove the link.');
    await withFileLock(await resolveLinks(file), { mode: 0o600, directoryMode: 0o700 }, async (write) => {
      const { content, text } = await load();
      await write(`${JSON.stringify(edit(content), null, 2)}\n`, text);
    });
  };

  return { file, ...storeOf(async () => (await load()).content, change) };
}

/** Creates a store that keeps decisions as long as it exists. */
export function createMemoryApprovalStore(): ApprovalStore {
  let content = EMPTY;
  return storeOf(
    async () => content,
    async (edit) => void (content = edit(content)),
  );
}

function storeOf(
  load: () => Promise<FileContent>,
  change: (edit: (content: FileContent) => FileContent) => Promise<void>,
): ApprovalStore {
  return {
    async read(project) {
      const { projects } = await load();
      return new Map(Object.entries(ownValue(projects, project)?.servers ?? {}));
    },

    async write(project, name, decision) {
      await change(({ version, projects }) => {
        const servers = ownValue(projects, project.id)?.servers ?? {};
        const kept = withDecision(ownValue(servers, name) ?? [], decision);
        return {
          version,
          projects: {
            ...projects,
            [project.id]: { root: project.root, servers: { ...servers, [name]: kept } },
          },
        };
      });
    },

    async forget(project, name) {
      await change(({ version, projects }) => {
        const { [project]: known, ...others } = projects;
        if (known === undefined || name === undefined) return { version, projects: others };
        const { [name]: _, ...servers } = known.servers;
        return { version, projects: { ...others, [project]: { ...known, servers } } };
      });
    },
  };
}

function withDecision(kept: readonly StoredDecision[], decision: StoredDecision): StoredDecision[] {
  if (decision.decision === 'never') return [decision];
  const others = kept.filter((entry) => entry.decision === 'always' && entry.hash !== decision.hash);
  return [...others, decision].slice(-MAX_KEPT);
}

function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

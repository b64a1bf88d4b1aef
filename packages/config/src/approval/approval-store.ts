import { homedir } from 'node:os';
import { join } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { z } from 'zod';
import { withFileLock } from '../files/file-lock.js';
import {
  DEFAULT_MAX_FILE_BYTES,
  findUntrustedFolder,
  isBrokenLink,
  readTextFile,
  resolveLinks,
} from '../files/read-file.js';
import { printable } from '../display-text.js';

/** A decision that outlives the process. `always` is for one definition, `never` for the name. */
export interface StoredDecision {
  readonly decision: 'always' | 'never';
  readonly hash: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * Keeps decisions, outside of every project. A store never says "nothing decided" when it means "could not look": it
 * rejects with a `FittingsError`.
 */
export interface ApprovalStore {
  /** The file behind it, where there is one. */
  readonly file?: string | undefined;
  /** Decisions about one project by name of the server. */
  read(project: string): Promise<ReadonlyMap<string, readonly StoredDecision[]>>;
  /** Adds a decision. `never` replaces what was decided on the name, `always` replaces a `never`. */
  write(
    project: { readonly id: string; readonly root: string },
    name: string,
    decision: StoredDecision,
  ): Promise<void>;
  forget(project: string, name?: string): Promise<void>;
}

export interface FileApprovalStoreOptions {
  /** The file. Default: `mcp-fittings/approvals.json` where the system keeps a user's settings. */
  readonly path?: string | undefined;
  /** Home directory of the default path. Default: the operating system's answer. */
  readonly home?: string | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

/** Old definitions of one name that stay approved; more are forgotten, the oldest first. */
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

/** Where decisions are kept when the host does not say. No environment variable moves it: a project could set one. */
export function defaultApprovalPath(home: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin')
    return join(home, 'Library', 'Application Support', 'mcp-fittings', 'approvals.json');
  if (platform === 'win32') return join(home, 'AppData', 'Local', 'mcp-fittings', 'approvals.json');
  return join(home, '.config', 'mcp-fittings', 'approvals.json');
}

/**
 * Decisions in a file of the user, mode 0600, holding hashes and names but no definition. A file that others may
 * change or replace, or that can't be understood, rejects with `CONFIG_INVALID` and is never written over.
 */
export function createFileApprovalStore(options: FileApprovalStoreOptions = {}): ApprovalStore {
  const { home = homedir(), platform = process.platform } = options;
  const file = options.path ?? defaultApprovalPath(home, platform);

  const load = async (): Promise<{ readonly content: FileContent; readonly text: string | undefined }> => {
    const foreign = await findUntrustedFolder(await resolveLinks(file));
    if (foreign !== undefined) {
      const why = `Other users may change the folder ${printable(foreign)}, and so replace the file.`;
      throw unusable(why, 'Let the folder belong to you, and run chmod go-w on it.');
    }
    const self = process.getuid?.();
    const outcome = await readTextFile(file, {
      maxBytes: DEFAULT_MAX_FILE_BYTES,
      privateToOwner: true,
      ...(self !== undefined && { owners: [self, 0] }),
    });
    if (outcome.kind === 'absent') return { content: { version: 1, projects: {} }, text: undefined };
    if (outcome.kind === 'refused') throw unusable(outcome.problem.message, outcome.problem.hint);
    try {
      return { content: fileSchema.parse(JSON.parse(outcome.text)), text: outcome.text };
    } catch (error) {
      throw unusable('It is malformed.', 'Mend it, or remove it and approve again.', error);
    }
  };
  const unusable = (why: string, hint: string | undefined, cause?: unknown): FittingsError =>
    new FittingsError('CONFIG_INVALID', `The file of approvals ${printable(file)} can't be used. ${why}`, {
      hint,
      cause,
    });

  const change = async (edit: (content: FileContent) => FileContent): Promise<void> => {
    if (await isBrokenLink(file)) throw unusable('It is a link that leads nowhere.', 'Remove the link.');
    await withFileLock(await resolveLinks(file), { mode: 0o600, directoryMode: 0o700 }, async (write) => {
      const { content, text } = await load();
      await write(`${JSON.stringify(edit(content), null, 2)}\n`, text);
    });
  };

  return {
    file,

    async read(project) {
      const { projects } = (await load()).content;
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

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { FittingsError, type ServerConfig, type TransportPlugin } from '@mcp-fittings/client-core';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import { defaultApprovalPath } from '../approval/approval-store.js';
import type { ServerApprovals } from '../approval/approvals.js';
import { printable } from '../display-text.js';
import { validateFields } from '../entry/entry-schema.js';
import { definitionHash } from '../entry/identity.js';
import { normalizeEntry } from '../entry/normalize.js';
import { declaredFields, validateWithPlugin } from '../entry/plugin-schema.js';
import { shellIssues } from '../entry/working-directory.js';
import { withFileLock } from '../files/file-lock.js';
import { applyChanges, diffValues } from '../jsonc/apply-changes.js';
import { type JsonObject, jsonCopy, readJsonValue } from '../jsonc/json-value.js';
import { parseDocument } from '../jsonc/parse-document.js';
import type { FileSource } from '../layout/layout.js';
import { locateFiles, type FileLocations, type LocationOptions } from '../layout/locate-files.js';
import type { ConfigScope } from '../layout/scopes.js';
import { CONFIG_PROBLEM_CODES, type EntryIssue } from '../problems.js';
import { checkServerName, suggestServerName } from '../server-names.js';
import { meaningOf } from '../words/foreign-words.js';
import { referencedVariables } from '../variables/syntax.js';
import { openEditableFile, type EditableFile } from './editable-file.js';

/** A change that a {@link ConfigEditor} is about to write. */
export interface ConfigChange {
  /** The method that was called. */
  readonly action: 'add' | 'update' | 'remove' | 'enable' | 'disable';
  /** Name of the server. */
  readonly name: string;
  /** Scope of the file. */
  readonly scope: ConfigScope;
  /** Path of the file that will be written. */
  readonly file: string;
  /** The entry as it is in the file; undefined if the server is added. */
  readonly before: ServerConfig | undefined;
  /** The entry as it will be; undefined if the server is removed. */
  readonly after: ServerConfig | undefined;
}

/** Options of {@link createConfigEditor}. */
export interface ConfigEditorOptions extends LocationOptions {
  /**
   * Confirms a change before it is written; nothing is written unless it returns `true`. Show the change to the user, or
   * return true only for what the user typed. Never pass an editor or this function to a tool that a model can call.
   */
  readonly confirm: (change: ConfigChange) => boolean | Promise<boolean>;
  /** Installed transports, whose schemas validate entries without variables. Default: none. */
  readonly plugins?: readonly TransportPlugin[] | undefined;
  /**
   * Approves the servers that the editor adds to files of the project. A server that it changes in any other way than by
   * `disabled` needs a new approval. Default: none is approved.
   */
  readonly approvals?: ServerApprovals | undefined;
}

/** The result of a {@link ConfigEditor} method. */
export interface WrittenFile {
  /** Path of the file. */
  readonly file: string;
  /** False if the file already had the requested content; it was not written then. */
  readonly changed: boolean;
}

/** The server that a method changes. */
type ServerTarget = Pick<ConfigChange, 'name' | 'scope'>;

/**
 * Changes servers in the files of a layout. Comments, the order of keys, unknown keys, line endings and mode bits are kept.
 * Writes are atomic, and processes that write at the same time take turns. If the scope has several files, the one that
 * defines the server is changed.
 *
 * Every method rejects with `CONFIG_INVALID` if the name, the entry or the file is invalid or the file has changed during
 * the confirmation, `SERVER_UNKNOWN` if the scope has no such server, `CONFIG_READ_ONLY` if the scope has no writable file,
 * `CONFIG_WRITE_FAILED` if the disk is full or fails, `TIMEOUT` if another process holds the file, and `ABORTED` if
 * `confirm` did not return `true`.
 */
export interface ConfigEditor {
  /** Adds a server. Rejects with `CONFIG_INVALID` if the scope has one with this name, unless `replace` is true. */
  addServer(
    options: Pick<ConfigChange, 'name' | 'scope'> & {
      readonly entry: ServerConfig;
      readonly replace?: boolean;
    },
  ): Promise<WrittenFile>;
  /** Sets the given fields of a server, and removes those whose value is undefined. */
  updateServer(
    options: Pick<ConfigChange, 'name' | 'scope'> & { readonly fields: Readonly<Record<string, unknown>> },
  ): Promise<WrittenFile>;
  /** Removes a server from the file. */
  removeServer(options: Pick<ConfigChange, 'name' | 'scope'>): Promise<WrittenFile>;
  /** Removes `disabled`, and the words of other programs for it, from a server's entry. */
  enableServer(options: Pick<ConfigChange, 'name' | 'scope'>): Promise<WrittenFile>;
  /** Sets `disabled: true` in a server's entry, so that it stays listed and is not connected. */
  disableServer(options: Pick<ConfigChange, 'name' | 'scope'>): Promise<WrittenFile>;
}

/**
 * Creates an editor for the files of a layout. Throws `CONFIG_INVALID` if `confirm` is missing.
 *
 * @example
 * ```ts
 * const editor = createConfigEditor({ layout: layouts.claude, confirm: () => true });
 * await editor.addServer({ name: 'docs', scope: 'user', entry: { url: 'https://example.com/mcp' } });
 * await editor.disableServer({ name: 'docs', scope: 'user' });
 * ```
 */
export function createConfigEditor(options: ConfigEditorOptions): ConfigEditor {
  if (typeof options.confirm !== 'function') {
    throw new FittingsError(
      'CONFIG_INVALID',
      'createConfigEditor() requires the option "confirm", a function that confirms each change.',
    );
  }

  /** Plans and confirms the change before it takes the lock, so that other processes do not wait for the user. */
  const change = async (
    action: ConfigChange['action'],
    { name, scope }: ServerTarget,
    edit: (before: JsonObject | undefined) => JsonObject | undefined | Promise<JsonObject | undefined>,
  ): Promise<WrittenFile> => {
    const located = await locateFiles(options);
    const { source, path } = await findSource(located, options, { name, scope }, action === 'add');
    const plan = async (): Promise<{
      file: EditableFile;
      before: JsonObject | undefined;
      after: JsonObject | undefined;
    }> => {
      const file = await openEditableFile(source, path, located.project);
      const before = file.servers.get(name);
      return { file, before, after: await edit(before) };
    };
    const planned = await plan();
    if (canonicalJson(planned.before) === canonicalJson(planned.after)) return { file: path, changed: false };
    const { before, after } = planned;
    const confirmed: unknown = await options.confirm({ action, name, scope, file: path, before, after });
    if (confirmed !== true) {
      throw new FittingsError('ABORTED', `The change to ${printable(path)} was not confirmed.`, {
        server: name,
      });
    }
    const inProject = source.base === 'project';
    const lockOptions = inProject
      ? { mode: 0o644, directoryMode: 0o755, lockPath: projectLock(planned.file.path, located, options) }
      : { mode: 0o600, directoryMode: 0o700 };
    await withFileLock(planned.file.path, lockOptions, async (write) => {
      const now = await plan();
      if (canonicalJson(now.before) !== canonicalJson(before) || now.file.path !== planned.file.path) {
        throw new FittingsError(
          'CONFIG_INVALID',
          `${printable(path)} has changed since the change was confirmed.`,
          {
            server: name,
            hint: 'Review the file and try again.',
          },
        );
      }
      const text = applyChanges(now.file.text, path, diffValues(before, after, [...now.file.keys, name]));
      if (text === undefined) {
        throw new FittingsError(
          'CONFIG_INVALID',
          `Cannot write the server to ${printable(path)}: a value on the path to it is not an object.`,
        );
      }
      await write(text, now.file.exists ? now.file.text : undefined);
    });
    // The user has typed all of a server that is added, and may not have seen the rest of one that is changed.
    if (inProject && action === 'add' && after !== undefined) {
      const hash = definitionHash(name, after);
      await options.approvals?.remember({ name, project: located.project, hash }, 'always');
    }
    return { file: path, changed: true };
  };

  const existing = (target: ServerTarget, before: JsonObject | undefined): JsonObject => {
    if (before === undefined)
      throw new FittingsError(
        'SERVER_UNKNOWN',
        `The scope ${target.scope} has no server "${printable(target.name)}".`,
      );
    return before;
  };

  return {
    addServer: (target) =>
      change('add', target, async (before) => {
        if (before !== undefined && target.replace !== true) {
          throw new FittingsError(
            'CONFIG_INVALID',
            `The scope ${target.scope} already has a server "${target.name}".`,
            {
              server: target.name,
              hint: 'Choose another name, or set `replace: true`.',
              details: { reason: 'name-taken' },
            },
          );
        }
        const entry = jsonCopy(target.entry);
        await checkEntry(target.name, entry, options);
        return entry;
      }),
    updateServer: (target) =>
      change('update', target, async (before) => {
        const entry = jsonCopy({ ...existing(target, before), ...target.fields });
        await checkEntry(target.name, entry, options);
        return entry;
      }),
    removeServer: (target) =>
      change('remove', target, (before) => {
        existing(target, before);
        return undefined;
      }),
    enableServer: (target) =>
      change('enable', target, (before) => {
        // Words of other programs switch a server off too.
        const entry = Object.entries(existing(target, before));
        return Object.fromEntries(entry.filter(([field]) => meaningOf(field)?.kind !== 'off'));
      }),
    disableServer: (target) =>
      change('disable', target, (before) => ({ ...existing(target, before), disabled: true })),
  };
}

/** The lock of a project's file is in the home directory: a project could bring a lock that is never released. */
function projectLock(
  path: string,
  { directories }: FileLocations,
  { platform = process.platform }: LocationOptions,
): string {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 32);
  return join(dirname(defaultApprovalPath(directories.home, platform)), 'locks', `${name}.lock`);
}

/** The file to change: the one of the scope that defines the server; for a new server the first one. */
async function findSource(
  { sources, project }: FileLocations,
  { layout }: LocationOptions,
  { name, scope }: ServerTarget,
  adding: boolean,
): Promise<{ readonly source: FileSource; readonly path: string }> {
  const writable = sources.filter(({ source }) => source.base !== 'system');
  const candidates = writable.filter(({ source }) => source.scope === scope);
  const [first] = candidates;
  if (first === undefined) {
    const scopes = [...new Set(writable.map(({ source }) => source.scope))].join(', ');
    throw new FittingsError(
      'CONFIG_READ_ONLY',
      `The layout ${layout.name} has no writable file for the scope ${scope}.`,
      {
        server: name,
        hint: `Scopes with a writable file: ${scopes}.`,
      },
    );
  }
  for (const candidate of candidates) {
    if ((await openEditableFile(candidate.source, candidate.path, project)).servers.has(name))
      return candidate;
  }
  if (adding) return first;
  const others: string[] = [];
  for (const { source, path } of sources.filter((other) => other.source.scope !== scope)) {
    const found = await openEditableFile(source, path, project).catch(() => undefined);
    if (found?.servers.has(name) === true)
      others.push(`${source.scope} (${printable(path)}${source.base === 'system' ? ', read-only' : ''})`);
  }
  throw new FittingsError('SERVER_UNKNOWN', `The scope ${scope} has no server "${printable(name)}".`, {
    server: name,
    hint:
      others.length === 0 ? 'No file of the layout defines it.' : `It is defined in: ${others.join(', ')}.`,
  });
}

async function checkEntry(
  name: string,
  entry: JsonObject,
  { plugins = [], layout }: ConfigEditorOptions,
): Promise<void> {
  const refuse = (message: string, path?: string, hint?: string): never => {
    throw new FittingsError('CONFIG_INVALID', message, { server: printable(name), hint, details: { path } });
  };
  const nameError = checkServerName(name);
  if (nameError !== undefined) {
    const suggestion = suggestServerName(name);
    refuse(
      `The server name "${printable(name)}" ${nameError}.`,
      undefined,
      suggestion && `Use another name, for example "${suggestion}".`,
    );
  }
  const normal = normalizeEntry(
    entry,
    plugins.flatMap((plugin) => declaredFields(plugin) ?? []),
  );
  const issues = [
    ...readingIssues(entry),
    ...shellIssues(entry),
    ...validateFields(entry),
    ...('issues' in normal ? normal.issues : []),
  ];
  if (
    'config' in normal &&
    issues.length === 0 &&
    plugins.length > 0 &&
    referencedVariables(entry, layout.variables?.bare ?? false).size === 0
  ) {
    issues.push(...(await validateWithPlugin(normal.config, plugins, [])));
  }
  const [issue] = issues;
  if (issue !== undefined) refuse(issue.message, issue.path, issue.hint);
}

/** Issues for which the loader would reject the entry after it is written. */
function readingIssues(entry: JsonObject): readonly EntryIssue[] {
  const parsed = parseDocument(JSON.stringify(entry), 'entry');
  if ('problem' in parsed) return [{ code: parsed.problem.code, path: '', message: parsed.problem.message }];
  const { root } = parsed.document;
  const issues = root === undefined ? [] : readJsonValue(root).issues;
  return issues.map(({ issue, path }) => ({
    code: issue,
    path,
    message: `Cannot write "${path}", because loading it would fail. ${CONFIG_PROBLEM_CODES[issue].meaning}`,
  }));
}

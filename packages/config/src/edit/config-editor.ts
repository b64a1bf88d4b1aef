import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { FittingsError, type ServerConfig, type TransportPlugin } from '@mcp-fittings/client-core';
import { defaultApprovalPath } from '../approval/approval-file.js';
import type { Approvals } from '../approval/approvals.js';
import { canonicalJson, definitionHash } from '../approval/definition-hash.js';
import { checkAgainstPlugin } from '../entry/check-plugin.js';
import { checkFields } from '../entry/check-entry.js';
import { normaliseEntry, type EntryFault } from '../entry/normalise.js';
import { variablesIn } from '../entry/variables.js';
import { withFileLock } from '../files/file-lock.js';
import { type JsonObject, type JsonValue, jsonCopy, locatedValue } from '../jsonc/json-value.js';
import { parseDocument } from '../jsonc/parse-document.js';
import type { FileSource } from '../layout/layout.js';
import { locate, type Located, type PlaceOptions } from '../load/locate.js';
import { PROBLEM_CODES } from '../problems.js';
import type { Scope } from '../scopes.js';
import { nameProblem, suggestName } from '../server-names.js';
import { shown } from '../text/visible-text.js';
import { openEditable, type EditableFile } from './editable-file.js';
import { applyOperations, operationsBetween } from './plan-edits.js';

/** A change that is about to be written. */
export interface ConfigChange {
  readonly action: 'add' | 'update' | 'remove' | 'enable' | 'disable';
  readonly name: string;
  readonly scope: Scope;
  readonly file: string;
  /** Undefined for a new server. */
  readonly before: ServerConfig | undefined;
  /** Undefined for one that is removed. */
  readonly after: ServerConfig | undefined;
}

export interface EditorOptions extends PlaceOptions {
  /**
   * The right to write, held by whoever speaks for the person: asked before each write, and nothing is written unless
   * it answers `true`. Let it show the change, or answer yes only to what the person typed. Never hand an editor, or
   * this function, to a tool that a model can call.
   */
  readonly confirm: (change: ConfigChange) => boolean | Promise<boolean>;
  /** Entries without variables are checked against the schemas of their transports. */
  readonly plugins?: readonly TransportPlugin[] | undefined;
  /** What the person writes into the project is approved with it. */
  readonly approvals?: Approvals | undefined;
}

export interface WrittenFile {
  readonly file: string;
  /** False when everything was as asked for already. */
  readonly changed: boolean;
}

interface Target {
  readonly name: string;
  readonly scope: Scope;
}

/**
 * Changes the files of a layout for a person. Comments, order, unknown keys, line ends and mode bits stay; a write is
 * whole or not at all, and two processes never write at once. Methods reject with `CONFIG_INVALID` (the entry, the
 * name or the file is wrong), `SERVER_UNKNOWN`, `CONFIG_READ_ONLY`, `CONFIG_WRITE_FAILED` (a full disk), `TIMEOUT` (another process holds the file) and
 * `ABORTED` (not confirmed).
 */
export interface ConfigEditor {
  /** Adds a server; an existing one of that name and scope is an error unless `replace` is true. */
  addServer(
    options: Target & { readonly entry: ServerConfig; readonly replace?: boolean },
  ): Promise<WrittenFile>;
  /** Sets the given fields and removes those that are given as undefined. */
  updateServer(
    options: Target & { readonly fields: Readonly<Record<string, unknown>> },
  ): Promise<WrittenFile>;
  removeServer(options: Target): Promise<WrittenFile>;
  enableServer(options: Target): Promise<WrittenFile>;
  disableServer(options: Target): Promise<WrittenFile>;
}

/** Makes an editor. Throws `CONFIG_INVALID` without `confirm`. */
export function createConfigEditor(options: EditorOptions): ConfigEditor {
  if (typeof options.confirm !== 'function') {
    throw new FittingsError(
      'CONFIG_INVALID',
      'An editor writes nothing without a function that confirms it.',
    );
  }

  /** Plans and confirms first, so that nobody waits for a person's answer with the file locked. */
  const change = async (
    action: ConfigChange['action'],
    { name, scope }: Target,
    edit: (before: JsonObject | undefined) => JsonObject | undefined | Promise<JsonObject | undefined>,
  ): Promise<WrittenFile> => {
    const located = await locate(options);
    const { source, path } = await sourceFor(located, options, { name, scope }, action === 'add');
    const plan = async (): Promise<{
      file: EditableFile;
      before: JsonObject | undefined;
      after: JsonObject | undefined;
    }> => {
      const file = await openEditable(source, path, located.project);
      const before = file.servers.get(name);
      return { file, before, after: await edit(before) };
    };
    const planned = await plan();
    if (same(planned.before, planned.after)) return { file: path, changed: false };
    const { before, after } = planned;
    const confirmed: unknown = await options.confirm({ action, name, scope, file: path, before, after });
    if (confirmed !== true) {
      throw new FittingsError('ABORTED', `The change to ${shown(path)} was not confirmed.`, { server: name });
    }
    const inProject = source.base === 'project';
    const lockOptions = inProject
      ? { mode: 0o644, directoryMode: 0o755, lockPath: projectLock(planned.file.path, located, options) }
      : { mode: 0o600, directoryMode: 0o700 };
    await withFileLock(planned.file.path, lockOptions, async (write) => {
      const now = await plan();
      if (!same(now.before, before) || now.file.path !== planned.file.path) {
        throw new FittingsError('CONFIG_INVALID', `${shown(path)} was changed by somebody else meanwhile.`, {
          server: name,
          hint: 'Look at it and try again.',
        });
      }
      const text = applyOperations(
        now.file.text,
        path,
        operationsBetween(before, after, [...now.file.keys, name]),
      );
      if (text === undefined) {
        throw new FittingsError(
          'CONFIG_INVALID',
          `${shown(path)} has no place for a server: something else stands there.`,
        );
      }
      await write(text, now.file.exists ? now.file.text : undefined);
    });
    if (inProject && after !== undefined) {
      const hash = definitionHash(name, after);
      await options.approvals?.remember({ name, project: located.project, hash }, 'always');
    }
    return { file: path, changed: true };
  };

  const existing = (target: Target, before: JsonObject | undefined): JsonObject => {
    if (before === undefined)
      throw new FittingsError(
        'SERVER_UNKNOWN',
        `No server "${shown(target.name)}" in the scope ${target.scope}.`,
      );
    return before;
  };

  return {
    addServer: (target) =>
      change('add', target, async (before) => {
        if (before !== undefined && target.replace !== true) {
          throw new FittingsError(
            'CONFIG_INVALID',
            `The scope ${target.scope} has a server "${target.name}" already.`,
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
        const { disabled: _, ...entry } = existing(target, before);
        return entry;
      }),
    disableServer: (target) =>
      change('disable', target, (before) => ({ ...existing(target, before), disabled: true })),
  };
}

/** The lock of a project's file lies with the person: the project could bring one that is never released. */
function projectLock(
  path: string,
  { directories }: Located,
  { platform = process.platform }: PlaceOptions,
): string {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 32);
  return join(dirname(defaultApprovalPath(directories.home, platform)), 'locks', `${name}.lock`);
}

/** The file to change: for a new server the first of its scope, else the one that has the server. */
async function sourceFor(
  { sources, project }: Located,
  { layout }: PlaceOptions,
  { name, scope }: Target,
  adding: boolean,
): Promise<{ readonly source: FileSource; readonly path: string }> {
  const writable = sources.filter(({ source }) => source.base !== 'system');
  const candidates = writable.filter(({ source }) => source.scope === scope);
  const [first] = candidates;
  if (first === undefined) {
    const scopes = [...new Set(writable.map(({ source }) => source.scope))].join(', ');
    throw new FittingsError('CONFIG_READ_ONLY', `Servers of the scope ${scope} can't be changed from here.`, {
      server: name,
      hint: `The layout ${layout.name} has files to write for: ${scopes}.`,
    });
  }
  for (const candidate of candidates) {
    if ((await openEditable(candidate.source, candidate.path, project)).servers.has(name)) return candidate;
  }
  if (adding) return first;
  const others: string[] = [];
  for (const { source, path } of sources.filter((other) => other.source.scope !== scope)) {
    const found = await openEditable(source, path, project).catch(() => undefined);
    if (found?.servers.has(name) === true)
      others.push(`${source.scope} (${shown(path)}${source.base === 'system' ? ', read-only' : ''})`);
  }
  throw new FittingsError('SERVER_UNKNOWN', `The scope ${scope} has no server "${shown(name)}".`, {
    server: name,
    hint: others.length === 0 ? 'No file of the layout names it.' : `It is defined in: ${others.join(', ')}.`,
  });
}

async function checkEntry(
  name: string,
  entry: JsonObject,
  { plugins = [], layout }: EditorOptions,
): Promise<void> {
  const refuse = (message: string, path?: string, hint?: string): never => {
    throw new FittingsError('CONFIG_INVALID', message, { server: shown(name), hint, details: { path } });
  };
  const wrongName = nameProblem(name);
  if (wrongName !== undefined) {
    const suggestion = suggestName(name);
    refuse(
      `The name "${shown(name)}" ${wrongName}.`,
      undefined,
      suggestion && `Call it "${suggestion}", for example.`,
    );
  }
  const normal = normaliseEntry(entry);
  const faults = [
    ...readingFaults(entry),
    ...checkFields(entry),
    ...('faults' in normal ? normal.faults : []),
  ];
  if (
    'config' in normal &&
    faults.length === 0 &&
    plugins.length > 0 &&
    variablesIn(entry, layout.variables?.bare ?? false).size === 0
  ) {
    faults.push(...(await checkAgainstPlugin(normal.config, plugins, [])));
  }
  const [fault] = faults;
  if (fault !== undefined) refuse(fault.message, fault.path, fault.hint);
}

/** What the loader would refuse when it reads the entry back. */
function readingFaults(entry: JsonObject): readonly EntryFault[] {
  const parsed = parseDocument(JSON.stringify(entry), 'entry');
  if ('problem' in parsed) return [{ code: parsed.problem.code, path: '', message: parsed.problem.message }];
  const { root } = parsed.document;
  const faults = root === undefined ? [] : locatedValue(root).faults;
  return faults.map(({ fault, path }) => ({
    code: fault,
    path,
    message: `"${path}" cannot be written, because it would be refused when it is read. ${PROBLEM_CODES[fault].meaning}`,
  }));
}

function same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b);
}

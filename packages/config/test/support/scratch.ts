import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { createServerApprovals, type ServerApprovalsOptions } from '../../src/approval/approvals.js';
import {
  createConfigEditor,
  type ConfigEditor,
  type ConfigEditorOptions,
} from '../../src/edit/config-editor.js';
import { layouts } from '../../src/layout/built-in-layouts.js';
import type { Layout } from '../../src/layout/layout.js';
import { loadConfig, type LoadConfigOptions } from '../../src/load/load-config.js';

/** Windows lets only administrators create symbolic links. */
export const hasLinks = process.platform !== 'win32';

type Content = string | Uint8Array | object;

/** A temporary home, project and administrator's directory, deleted after the test. */
export interface Scratch {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly system: string;
  path(name: string): string;
  write(name: string, content: Content): Promise<string>;
  /** Reads a JSON file, by its name or its whole path. */
  json(path: string): Promise<unknown>;
  /** Returns an editor whose changes are all confirmed. Default of the layout: that of Claude Code. */
  editor(options?: Partial<ConfigEditorOptions>): ConfigEditor;
  /** Returns the layout with the administrator's files in {@link system}. */
  here(layout: Layout): Layout;
  /** Loads with an empty environment, so that a test sets what it needs. */
  load(
    options: Pick<LoadConfigOptions, 'layout'> & Partial<LoadConfigOptions>,
  ): ReturnType<typeof loadConfig>;
}

/** Creates the directories and files. Paths begin with `home/`, `project/` or `system/`; objects are written as JSON. */
export async function scratch(files: Readonly<Record<string, Content>> = {}): Promise<Scratch> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'fittings-config-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const directories = {
    home: join(root, 'home'),
    project: join(root, 'project'),
    system: join(root, 'system'),
  };
  for (const directory of Object.values(directories)) await mkdir(directory);
  const place: Scratch = {
    root,
    ...directories,
    path: (name) => join(root, name),
    async write(name, content) {
      const path = join(root, name);
      await mkdir(dirname(path), { recursive: true });
      const plain = typeof content === 'string' || content instanceof Uint8Array;
      await writeFile(path, plain ? content : `${JSON.stringify(content, null, 2)}\n`);
      return path;
    },
    json: async (path) => JSON.parse(await readFile(resolve(root, path), 'utf8')) as unknown,
    editor: ({ layout = layouts.claude, ...options } = {}) =>
      createConfigEditor({
        layout: place.here(layout),
        cwd: place.project,
        home: place.home,
        confirm: () => true,
        ...options,
      }),
    here: (layout) => ({
      ...layout,
      systemDirectory: { linux: place.system, darwin: place.system, win32: place.system },
    }),
    load: ({ layout, ...options }) =>
      loadConfig({ layout: place.here(layout), cwd: place.project, home: place.home, env: {}, ...options }),
  };
  for (const [name, content] of Object.entries(files)) await place.write(name, content);
  return place;
}

/** Approvals that give the same answer to every question. */
export function answering(answer: 'once' | 'always' | 'no' | 'never', more: ServerApprovalsOptions = {}) {
  return createServerApprovals({ approve: () => Promise.resolve(answer), ...more });
}

/** The content of a file with these servers. */
export function servers(entries: Readonly<Record<string, unknown>>): { readonly mcpServers: typeof entries } {
  return { mcpServers: entries };
}

/** The codes of the problems. */
export function codes(config: {
  readonly problems: readonly { readonly code: string }[];
}): readonly string[] {
  return config.problems.map(({ code }) => code);
}

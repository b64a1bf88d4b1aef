import type { CommandDeps } from '../command-deps.js';
import { printable } from '../output/printable.js';
import { loadForCommand } from '../session/open-session.js';
import { findEntry } from '../session/resolve-server.js';
import { openWorkspace, scopeOf } from '../session/workspace.js';

export interface ChangeOptions {
  readonly scope?: string;
}

/** Changes one server in one file. */
export type Change = 'remove' | 'enable' | 'disable';

const DONE: Readonly<Record<Change, string>> = { remove: 'Removed', enable: 'Enabled', disable: 'Disabled' };

export async function changeServer(
  deps: CommandDeps,
  change: Change,
  name: string,
  options: ChangeOptions,
): Promise<void> {
  const { output } = deps;
  const workspace = await openWorkspace(deps);
  const { editor, approvals, loaded } = workspace;
  const target = { name, scope: scopeOf(deps, workspace, name, options.scope) };
  const { file, changed } = await {
    remove: async () => editor.removeServer(target),
    enable: async () => editor.enableServer(target),
    disable: async () => editor.disableServer(target),
  }[change]();
  // If a server of this name is added again, it is a new one that has to be approved.
  if (change === 'remove' && target.scope === 'project') await approvals.forget(loaded.project.id, name);
  output.result({ ...target, file, changed }, () =>
    changed
      ? `${DONE[change]} ${output.style.bold(printable(name))} in ${printable(file)} (${target.scope}).`
      : `${printable(name)} is already ${DONE[change].toLowerCase()} in ${printable(file)}.`,
  );
  if (change !== 'enable') return;
  const enabled = findEntry((await loadForCommand(deps)).loaded, name);
  if (enabled?.status === 'pending')
    output.note(
      output.noteStyle.yellow(`It is not approved. Review it: fittings approve ${printable(name)}`),
    );
}

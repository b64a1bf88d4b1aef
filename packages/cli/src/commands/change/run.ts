import type { CommandContext } from '../../command-context.js';
import { shown } from '../../output/shown.js';
import { openWorkspace, scopeOf } from '../editor.js';
import type { Change, ChangeOptions } from './command.js';

const DONE: Readonly<Record<Change, string>> = { remove: 'Removed', enable: 'Enabled', disable: 'Disabled' };

export async function changeServer(
  context: CommandContext,
  change: Change,
  name: string,
  options: ChangeOptions,
): Promise<void> {
  const { output } = context;
  const workspace = await openWorkspace(context);
  const { editor, approvals, loaded } = workspace;
  const target = { name, scope: scopeOf(context, workspace, name, options.scope) };
  const { file, changed } = await {
    remove: async () => editor.removeServer(target),
    enable: async () => editor.enableServer(target),
    disable: async () => editor.disableServer(target),
  }[change]();
  // A server of this name that comes back is a new one, about which nobody has decided.
  if (change === 'remove' && target.scope === 'project') await approvals.forget(loaded.project.id, name);
  output.result({ ...target, file, changed }, () =>
    changed
      ? `${DONE[change]} ${output.style.bold(shown(name))} in ${shown(file)} (${target.scope}).`
      : `${shown(name)} is already ${DONE[change].toLowerCase()} in ${shown(file)}.`,
  );
}

import { type OfferKind, listLines, listValue } from './commands/list-lines.js';
import type { ListRequest } from './list-request.js';
import type { DirectIo } from './output/direct-output.js';
import type { Output } from './output/output.js';
import { createProcessOutput } from './output/process-output.js';
import { areUnchanged } from './stored-lists/inputs.js';
import {
  type StoredLists,
  type StoredServer,
  ageNote,
  isFresh,
  joinLists,
  openListStore,
} from './stored-lists/stored-lists.js';

/**
 * Prints what all requested servers offered when they were asked a short time ago, and resolves with true; with false, and
 * without output, if one of them has to be asked or the configuration has to be read. Nothing is connected, and no file is read
 * but the stored lists: the configuration, the approvals and the variables are those of that time if their marks are.
 */
export async function listAtOnce(request: ListRequest, io: DirectIo): Promise<boolean> {
  const { kind, names } = request;
  const { env, cwd } = io;
  const now = Date.now();
  const stored = await openListStore({ ...request, cwd }, env).read();
  const servers = stored === undefined ? undefined : serversOf(stored, names, now);
  if (stored?.inputs === undefined || servers === undefined) return false;
  if (!(await areUnchanged(stored.inputs, env))) return false;
  const output = createProcessOutput(io, request);
  print(servers, kind, output);
  output.note(output.noteStyle.dim(ageNote(servers, now)));
  return true;
}

/** Returns the requested servers; undefined if one of them is not listed or has to be asked. */
function serversOf(
  { listed, servers }: StoredLists,
  names: readonly string[],
  now: number,
): readonly StoredServer[] | undefined {
  const wanted = names.length === 0 ? listed : [...new Set(names)];
  const found = wanted.flatMap((name) => {
    const server = listed.includes(name) && Object.hasOwn(servers, name) ? servers[name] : undefined;
    return server !== undefined && isFresh(server, now) ? [server] : [];
  });
  return found.length > 0 && found.length === wanted.length ? found : undefined;
}

function print(servers: readonly StoredServer[], kind: OfferKind, output: Output): void {
  const all = joinLists(servers.map(({ lists }) => lists));
  if (output.json) return output.result(listValue(all, kind), () => '');
  for (const { lists } of servers) {
    const lines = listLines(lists, kind, output);
    if (lines.length > 0) output.event({}, () => lines.join('\n'));
  }
  if (listLines(all, kind, output).length === 0)
    output.event({}, () => output.style.dim(`No server offers ${kind}.`));
}

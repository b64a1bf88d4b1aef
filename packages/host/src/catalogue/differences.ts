import type { CatalogueTool, ToolChanges, ToolDefinition } from '../contracts/catalogue.js';
import { canonical } from './digest.js';

/** Undefined when nothing differs. */
export function differences(
  before: readonly CatalogueTool[],
  after: readonly CatalogueTool[],
): ToolChanges | undefined {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const now = new Map(after.map((tool) => [tool.name, tool]));
  const added = [...now.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  const changed = [...now.values()].flatMap((tool) => {
    const previous = old.get(tool.name);
    if (previous === undefined || previous.digest === tool.digest) return [];
    return [{ tool: tool.name, members: changedMembers(previous, tool) }];
  });
  return added.length + removed.length + changed.length === 0 ? undefined : { added, removed, changed };
}

function changedMembers(before: ToolDefinition, after: ToolDefinition): readonly string[] {
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  const names = new Set([...old.keys(), ...now.keys()]);
  names.delete('digest');
  return [...names].filter((name) => canonical(old.get(name)) !== canonical(now.get(name)));
}

import type { Toolset } from '../calls/toolset.js';
import type { ModelTool } from '../model-tools/model-tool.js';

/**
 * Returns the tools of servers, with those that the model has to search for, because code needs no search. The tools of this package,
 * such as `read_result`, have no server.
 */
export function serverTools({ tools, deferred }: Toolset): readonly ModelTool[] {
  const all = [...deferred, ...tools].filter(({ ref }) => ref.server !== '');
  return [...new Map(all.map((tool) => [tool.name, tool])).values()];
}

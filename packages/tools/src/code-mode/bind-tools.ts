import type { ToolHost } from '../tool-host.js';
import { renderForModel } from '../results/render-result.js';
import { toolFailed, valueOf, type DispatchOptions, type ToolDispatcher } from './tool-dispatcher.js';

/** Calls the tools of a generated client: a host, without a policy, or a dispatcher, with the policy of its tools. */
export type ToolCaller = Pick<ToolHost, 'callTool'> | Pick<ToolDispatcher, 'call'>;

/**
 * Returns an object with a function for each tool of a server. Files that `fittings generate client` writes call it.
 * @param caller A host, or what `createToolDispatcher` returns.
 * @param server Name of the server in the host.
 * @param tools The tools, by the names of the functions.
 * @throws {FittingsError} Each function rejects with the errors of `host.callTool()`, with `TOOL_FAILED` if the tool reports an
 * error, and with `PROTOCOL_VIOLATION` if structured content is missing.
 */
export function bindTools<Client extends object>(
  caller: ToolCaller,
  server: string,
  tools: {
    readonly [Name in keyof Client]: {
      /** Name of the tool on its server. */
      readonly tool: string;
      /** If true, the function returns structured content, because the tool has an output schema. Default false. */
      readonly structured?: boolean | undefined;
    };
  },
): Client {
  const client: Record<string, unknown> = Object.create(null);
  for (const [name, { tool, structured = false }] of Object.entries<(typeof tools)[keyof Client]>(tools)) {
    client[name] = (args?: Readonly<Record<string, unknown>>, options?: DispatchOptions): Promise<unknown> =>
      callBound(caller, { server, tool }, structured, args, options);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parameter has a member for every function
  return Object.freeze(client) as Client;
}

async function callBound(
  caller: ToolCaller,
  ref: { readonly server: string; readonly tool: string },
  structured: boolean,
  args: Readonly<Record<string, unknown>> | undefined,
  options: DispatchOptions | undefined,
): Promise<unknown> {
  if (!('callTool' in caller)) return caller.call(ref.server, ref.tool, args, options);
  const result = await caller.callTool(ref, args, options);
  if (result.isError === true) throw toolFailed(ref, renderForModel(result).text);
  return valueOf(ref, result, structured);
}

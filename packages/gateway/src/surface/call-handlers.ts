import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ContentBlock, ToolResult } from '@mcp-fittings/host';
import type { CallToolResult, Result, Server, ServerContext } from '@modelcontextprotocol/server';
import type { ClientConnection } from '../contracts/surface.js';
import { checkPolicy, checkResourcePolicy, withSignIn, type WithSignInOptions } from './call-checks.js';
import type { CallRunner, PassedRequest } from './call-runner.js';
import { toProtocolError, unknownItem } from './protocol-errors.js';
import { paramsWith, recordIn, textsIn } from './request-params.js';
import type { SurfaceDeps } from './surface-deps.js';

/** Answers requests that are passed on to one server: calls of tools, prompts, reading of resources, completions. */
export function setCallHandlers(
  server: Server,
  connection: ClientConnection,
  deps: SurfaceDeps,
  runner: CallRunner,
): void {
  const { caller, era } = connection;
  const { catalog, exposure, limits, clock, servers } = deps;
  const { host, policy, signIn, unlisted } = deps.options;

  /** Looks a name up; again when all servers have their lists, if it is not known. */
  const find = async <Ref>(look: () => Ref | undefined, unknown: () => Error): Promise<Ref> => {
    try {
      const known = look();
      if (known !== undefined) return known;
      await servers.ready(exposure.servers(connection), caller.principal, limits.listMs);
      const found = look();
      if (found !== undefined) return found;
      throw unknown();
    } catch (error) {
      throw toProtocolError(error, era);
    }
  };
  const onPage = (elicitationId: string, completed: Promise<void>): void => {
    const tell = server.createElicitationCompletionNotifier(elicitationId);
    completed.then(tell).catch(() => undefined);
  };
  const signInOptions = (name: string): WithSignInOptions => ({
    connection,
    server: name,
    signIn,
    clock,
    answerMs: limits.answerMs,
    onPage,
  });
  /** Passes a request on, with a sign-in first if it is necessary. */
  const pass = (
    request: Omit<PassedRequest, 'work'>,
    work: PassedRequest['work'],
    context: ServerContext,
  ): Promise<Result> =>
    runner.run(
      {
        ...request,
        work: (options, call) => withSignIn(() => work(options, call), call, signInOptions(request.server)),
      },
      context,
    );

  server.setRequestHandler('tools/call', { params: paramsWith('name') }, async (params, context) => {
    const { name } = params;
    const ref = await find(
      () => catalog.toolRef(connection, name),
      () => unknownItem('tool', name),
    );
    const args = recordIn(params, 'arguments');
    const request = {
      server: ref.server,
      method: 'tools/call',
      target: ref.tool,
      params: { name, arguments: args },
    };
    const work: PassedRequest['work'] = async (options, call) => {
      await checkPolicy(ref, args, { host, scope: connection, policy, call });
      const definition = catalog.tool(connection, ref);
      const result = await host.callTool(ref, args, { ...options, unlisted });
      return server.projectCallToolResult(forSdk(result), definition?.outputSchema);
    };
    return pass(request, work, context);
  });

  server.setRequestHandler('prompts/get', { params: paramsWith('name') }, async (params, context) => {
    const { name } = params;
    const ref = await find(
      () => catalog.promptRef(connection, name),
      () => unknownItem('prompt', name),
    );
    const args = textsIn(recordIn(params, 'arguments'));
    const request = {
      server: ref.server,
      method: 'prompts/get',
      target: ref.prompt,
      params: { name, arguments: args },
    };
    const work: PassedRequest['work'] = async (options) => {
      const result = await host.getPrompt(ref, args, options);
      const messages = result.messages.map((each) => ({ ...each, content: asReceived(each.content) }));
      return { ...result, messages };
    };
    return pass(request, work, context);
  });

  server.setRequestHandler('resources/read', { params: paramsWith('uri') }, async ({ uri }, context) => {
    const ref = await find(
      () => catalog.resourceRef(connection, uri),
      () => unknownItem('resource', uri),
    );
    const request = { server: ref.server, method: 'resources/read', target: ref.uri, params: { uri } };
    const work: PassedRequest['work'] = async (options, call) => {
      await checkResourcePolicy(ref, { host, scope: connection, policy, call });
      const result = await host.readResource(ref, options);
      const contents = result.contents.map((each) => (each.uri === ref.uri ? { ...each, uri } : each));
      const isPrivate = caller.principal !== undefined && 'cacheScope' in result;
      return { ...result, contents, ...(isPrivate && { cacheScope: 'private' }) };
    };
    return pass(request, work, context);
  });

  server.setRequestHandler('completion/complete', { params: paramsWith() }, async (params, context) => {
    const ref = recordIn(params, 'ref');
    const { name, uri } = textsIn(ref);
    const { name: argument = '', value = '' } = textsIn(recordIn(params, 'argument'));
    const entered = textsIn(recordIn(recordIn(params, 'context'), 'arguments'));
    const target = await find(
      () => {
        if (ref['type'] === 'ref/prompt' && name !== undefined) {
          const found = catalog.promptRef(connection, name);
          return found && { server: found.server, ref: { type: 'ref/prompt', name: found.prompt } as const };
        }
        const found = uri === undefined ? undefined : catalog.resourceRef(connection, uri);
        return found && { server: found.server, ref: { type: 'ref/resource', uri: found.uri } as const };
      },
      () => unknownItem(name === undefined ? 'resource' : 'prompt', name ?? uri ?? ''),
    );
    const completion = {
      ...target,
      argument: { name: argument, value },
      context: { arguments: entered },
    };
    const request = { server: target.server, method: 'completion/complete', target: argument, params: {} };
    const work: PassedRequest['work'] = async (options) => ({
      completion: await host.complete(completion, options),
    });
    return runner.once({ ...request, work }, context);
  });
}

/** The blocks of a result are passed on as they came, whatever their types are. */
function forSdk(result: ToolResult): CallToolResult {
  const content = result.content.map(asReceived);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK reads `structuredContent` and the types of blocks only
  return { ...result, content } as unknown as CallToolResult;
}

/** Returns a block as the server sent it, also one of a type that the host does not know. */
function asReceived(block: ContentBlock): unknown {
  if (block.type !== 'unknown') return block;
  const { value } = block;
  return isRecord(value) ? value : { type: 'text', text: JSON.stringify(value) ?? '' };
}

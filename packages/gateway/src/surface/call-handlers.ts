import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { missingCapability } from '../callbacks/client-input.js';
import type { ClientRequest } from '../contracts/surface.js';
import { checkPolicy, checkResourcePolicy, withSignIn, type WithSignInOptions } from './call-checks.js';
import { CallRunner, type PassedRequest } from './call-runner.js';
import { recordIn, textIn, textsIn } from './request-params.js';
import { unknownItem } from './rpc-errors.js';
import { asReceived, asSent } from './sent-result.js';
import type { SurfaceDeps } from './surface-deps.js';
import { declaresTasks, TaskHandlers } from './task-handlers.js';

/** Answers requests that are passed on to one server: calls of tools, prompts, reading of resources, completions. */
export class CallHandlers {
  /** Answers requests about the tasks that calls of tools have become. */
  readonly tasks: TaskHandlers;
  readonly #deps: SurfaceDeps;
  readonly #runner: CallRunner;

  constructor(deps: SurfaceDeps) {
    this.#deps = deps;
    this.#runner = new CallRunner(deps);
    this.tasks = new TaskHandlers(deps, this.#runner);
  }

  async tool(request: ClientRequest): Promise<JSONRPCObject> {
    const { catalog, options } = this.#deps;
    const { host, policy, unlisted } = options;
    const { params, era } = request;
    const name = textIn(params, 'name');
    const ref = await this.#find(request, () => catalog.toolRef(request, name));
    if (ref === undefined) throw unknownItem('tool', name);
    const args = recordIn(params, 'arguments');
    return this.#pass(request, {
      server: ref.server,
      target: ref.tool,
      params: { name, arguments: args },
      work: async (callOptions, call) => {
        if (policy !== undefined) await checkPolicy(ref, args, { host, scope: request, policy, call });
        // Not a spread: Node.js 20 makes a hidden class of its own for each object that is spread and then added to.
        const given = Object.assign({ unlisted }, callOptions);
        if (era === 'modern' && declaresTasks(params)) return this.tasks.call(request, ref, args, given);
        return asSent(await host.callTool(ref, args, given), era);
      },
    });
  }

  async prompt(request: ClientRequest): Promise<JSONRPCObject> {
    const { catalog, options } = this.#deps;
    const name = textIn(request.params, 'name');
    const ref = await this.#find(request, () => catalog.promptRef(request, name));
    if (ref === undefined) throw unknownItem('prompt', name);
    const args = textsIn(recordIn(request.params, 'arguments'));
    return this.#pass(request, {
      server: ref.server,
      target: ref.prompt,
      params: { name, arguments: args },
      work: async (callOptions) => {
        const result = await options.host.getPrompt(ref, args, callOptions);
        const messages = result.messages.map((each) => ({ ...each, content: asReceived(each.content) }));
        return { ...result, messages };
      },
    });
  }

  async resource(request: ClientRequest): Promise<JSONRPCObject> {
    const { catalog, options } = this.#deps;
    const { host, policy } = options;
    const uri = textIn(request.params, 'uri');
    const ref = await this.#find(request, () => catalog.resourceRef(request, uri));
    if (ref === undefined) throw unknownItem('resource', uri);
    return this.#pass(request, {
      server: ref.server,
      target: ref.uri,
      params: { uri },
      work: async (callOptions, call) => {
        if (policy !== undefined) await checkResourcePolicy(ref, { host, scope: request, policy, call });
        const result = await host.readResource(ref, callOptions);
        const contents = result.contents.map((each) => (each.uri === ref.uri ? { ...each, uri } : each));
        const isPrivate = request.caller.principal !== undefined && 'cacheScope' in result;
        return { ...result, contents, ...(isPrivate && { cacheScope: 'private' }) };
      },
    });
  }

  async completion(request: ClientRequest): Promise<JSONRPCObject> {
    const { catalog, options } = this.#deps;
    const { params } = request;
    const ref = recordIn(params, 'ref');
    const { name, uri } = textsIn(ref);
    const { name: argument = '', value = '' } = textsIn(recordIn(params, 'argument'));
    const entered = textsIn(recordIn(recordIn(params, 'context'), 'arguments'));
    const target = await this.#find(request, () => {
      if (ref['type'] === 'ref/prompt' && name !== undefined) {
        const found = catalog.promptRef(request, name);
        return found && { server: found.server, ref: { type: 'ref/prompt', name: found.prompt } as const };
      }
      const found = uri === undefined ? undefined : catalog.resourceRef(request, uri);
      return found && { server: found.server, ref: { type: 'ref/resource', uri: found.uri } as const };
    });
    if (target === undefined)
      throw unknownItem(name === undefined ? 'resource' : 'prompt', name ?? uri ?? '');
    const asked = { ...target, argument: { name: argument, value }, context: { arguments: entered } };
    return this.#runner.once(request, {
      server: target.server,
      target: argument,
      params: {},
      work: async (callOptions) => ({ completion: await options.host.complete(asked, callOptions) }),
    });
  }

  /** Looks a name up; again when all servers have their lists, if it is not known. */
  #find<Ref>(request: ClientRequest, look: () => Ref | undefined): Ref | Promise<Ref | undefined> {
    const { servers, exposure, limits } = this.#deps;
    return (
      look() ?? servers.ready(exposure.servers(request), request.caller.principal, limits.listMs).then(look)
    );
  }

  /** Passes a request on, with a sign-in first if it is necessary. */
  #pass(request: ClientRequest, passed: PassedRequest): Promise<JSONRPCObject> {
    const { limits, clock, options } = this.#deps;
    const { server, target, params, work } = passed;
    const signInOptions: WithSignInOptions = {
      connection: request,
      server,
      signIn: options.signIn,
      clock,
      answerMs: limits.answerMs,
      onPage: (elicitationId, completed) => tellWhenCompleted(request, elicitationId, completed),
    };
    return this.#runner.run(request, {
      server,
      target,
      params,
      work: (callOptions, call) => withSignIn(() => work(callOptions, call), call, signInOptions),
    });
  }
}

/** Tells a client that was shown a page that its sign-in is completed. The request is over by then. */
function tellWhenCompleted(
  { session }: ClientRequest,
  elicitationId: string,
  completed: Promise<void>,
): void {
  const question = { method: 'elicitation/create', params: { mode: 'url' } };
  if (session === undefined || missingCapability(question, session.capabilities) !== undefined) return;
  completed
    .then(() => session.notify('notifications/elicitation/complete', { elicitationId }))
    .catch(() => undefined);
}

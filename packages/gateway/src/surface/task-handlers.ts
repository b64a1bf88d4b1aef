import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord, META, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { CallToolOptions, ToolRef, ToolTask } from '@mcp-fittings/host';
import { missingCapability } from '../callbacks/client-input.js';
import { snapshotOf } from '../catalog/ready-servers.js';
import { RpcError } from '../contracts/rpc-error.js';
import type { ClientRequest } from '../contracts/surface.js';
import { TaskIds, type ServerTask } from '../state/task-ids.js';
import { checkPolicy } from './call-checks.js';
import type { CallRunner, PassedRequest } from './call-runner.js';
import { recordIn, textIn } from './request-params.js';
import { asSent } from './sent-result.js';
import type { SurfaceDeps } from './surface-deps.js';

/**
 * Id of the extension.
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md
 */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** Returns whether a request of 2026-07-28 declares that it may be answered with a task. */
export function declaresTasks(params: JSONRPCObject): boolean {
  const declared = recordIn(recordIn(params, '_meta'), META.clientCapabilities);
  return isRecord(recordIn(declared, 'extensions')[TASKS_EXTENSION]);
}

/**
 * Passes tasks of servers on to clients of 2026-07-28 that declare the extension. The client polls, and each of its requests goes to the
 * server over the connection of its person; nothing is kept between them. For any other client, the host polls.
 */
export class TaskHandlers {
  readonly #deps: SurfaceDeps;
  readonly #runner: CallRunner;
  readonly #ids: TaskIds;
  /** Results that are being fetched: a connection fetches each once at a time. */
  readonly #fetching = new Map<string, Promise<JSONRPCObject>>();

  constructor(deps: SurfaceDeps, runner: CallRunner) {
    this.#deps = deps;
    this.#runner = runner;
    this.#ids = new TaskIds(deps.options.state);
  }

  /** Calls a tool. Resolves with its result, or with the task with which the server has answered. */
  async call(
    request: ClientRequest,
    ref: ToolRef,
    args: JSONRPCObject,
    options: CallToolOptions,
  ): Promise<JSONRPCObject> {
    const { host } = this.#deps.options;
    if (!(await this.#isOffered(ref.server, options)))
      return asSent(await host.callTool(ref, args, options), 'modern');
    const left = new AbortController();
    let created: ToolTask | undefined;
    const onUpdate = (task: ToolTask): void => {
      created ??= task;
      left.abort();
    };
    const signal = AbortSignal.any([left.signal, ...(options.signal ? [options.signal] : [])]);
    try {
      const result = await host.callTool(ref, args, { ...options, signal, task: { keep: true, onUpdate } });
      return asSent(result, 'modern');
    } catch (error) {
      if (created === undefined || options.signal?.aborted === true) throw error;
      const { server: _server, tool: _tool, principal: _principal, ...state } = created;
      const taskId = await this.#ids.seal({ ...ref, taskId: state.taskId }, ownerOf(request));
      return { resultType: 'task', ...state, taskId };
    }
  }

  /** Answers `tasks/get`. */
  get(request: ClientRequest): Promise<JSONRPCObject> {
    return this.#about(request, async (task, options) => {
      const { server, taskId } = task;
      const asked = { server, method: request.method };
      const {
        _meta,
        result: _raw,
        ...state
      } = await this.#deps.options.host.request(asked, { taskId }, options);
      for (const question of Object.values(recordIn(state, 'inputRequests')))
        checkDeclared(question, request);
      return {
        ...state,
        taskId: request.params['taskId'],
        ...(state['status'] === 'completed' && { result: await this.#result(task, options) }),
      };
    });
  }

  /** Answers `tasks/update`. */
  update(request: ClientRequest): Promise<JSONRPCObject> {
    const inputResponses = recordIn(request.params, 'inputResponses');
    return this.#about(request, ({ server, taskId }, options) =>
      this.#deps.options.host.request(
        { server, method: request.method },
        { taskId, inputResponses },
        options,
      ),
    );
  }

  /** Answers `tasks/cancel`. */
  cancel(request: ClientRequest): Promise<JSONRPCObject> {
    return this.#about(request, ({ server, taskId }, options) =>
      this.#deps.options.host.request({ server, method: request.method }, { taskId }, options),
    );
  }

  /** Returns false for a server that has no tasks, and while replicas would not know them. */
  async #isOffered(server: string, { principal }: CallToolOptions): Promise<boolean> {
    const { host, logger } = this.#deps.options;
    const state = snapshotOf(host, server, principal)?.state;
    const extensions = state?.status === 'connected' && recordIn(state.connection.capabilities, 'extensions');
    if (extensions && !isRecord(extensions[TASKS_EXTENSION])) return false;
    try {
      await this.#ids.refresh();
      return true;
    } catch (error) {
      logger?.warn('A call is not offered as a task.', { error: String(error) });
      return false;
    }
  }

  /** Passes on a request about a task of the caller, who must be allowed to call its tool now. */
  async #about(
    request: ClientRequest,
    work: (task: ServerTask, options: Parameters<PassedRequest['work']>[0]) => Promise<JSONRPCObject>,
  ): Promise<JSONRPCObject> {
    const { exposure, options } = this.#deps;
    const task = await this.#ids.open(textIn(request.params, 'taskId'), ownerOf(request));
    const isAllowed =
      task !== undefined &&
      exposure.hasKind('tools') &&
      exposure.hasServer(request, task.server) &&
      exposure.allows(request, 'tool', task.server, task.tool);
    if (!isAllowed) throw unknownTask();
    const { host, policy } = options;
    const { server, tool: target } = task;
    return this.#runner.once(request, {
      server,
      target,
      params: {},
      work: async (callOptions, call) => {
        await checkPolicy({ server, tool: target }, undefined, { host, scope: request, policy, call });
        return work(task, callOptions);
      },
    });
  }

  /** Returns the result as a call does: the host reads it, and its interceptors see it. */
  #result({ server, tool, taskId }: ServerTask, options: CallToolOptions): Promise<JSONRPCObject> {
    const key = JSON.stringify([options.principal, server, taskId]);
    const known = this.#fetching.get(key);
    if (known !== undefined) return known;
    // Several requests may wait for it, so that none of them cancels it.
    const given = { ...options, signal: undefined, task: { resume: taskId, keep: true } };
    const fetching = this.#deps.options.host
      .callTool({ server, tool }, {}, given)
      .then((result) => asSent(result, 'modern'))
      .finally(() => this.#fetching.delete(key));
    this.#fetching.set(key, fetching);
    return fetching;
  }
}

/** To whom a task belongs, as a session does. */
function ownerOf({ caller, mount }: ClientRequest): string {
  return JSON.stringify([caller.id, caller.principal ?? null, mount.server ?? null]);
}

/** The same for a task of another caller. */
function unknownTask(): RpcError {
  const data = { delivery: 'not-sent', retryable: false };
  return new RpcError(RPC_CODES.invalidParams, 'Unknown task', data);
}

/** Throws `CAPABILITY_MISSING` for a question of a task that its client cannot answer. */
function checkDeclared(question: unknown, { params }: ClientRequest): void {
  if (!isRecord(question) || typeof question['method'] !== 'string') return;
  const { method } = question;
  const declared = recordIn(recordIn(params, '_meta'), META.clientCapabilities);
  const clientCapability = missingCapability({ method, params: recordIn(question, 'params') }, declared);
  if (clientCapability === undefined) return;
  throw new FittingsError(
    'CAPABILITY_MISSING',
    `The client does not have the capability "${clientCapability}", which the task requires.`,
    { delivery: 'unknown', details: { clientCapability } },
  );
}

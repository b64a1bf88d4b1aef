import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord, META, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { TASKS_EXTENSION } from '@mcp-fittings/toolbox/tasks';
import { withTimeout } from '@mcp-fittings/toolbox/timing';
import type { CallToolOptions, ToolRef, ToolTask } from '@mcp-fittings/host';
import { snapshotOf } from '../catalog/ready-servers.js';
import { RpcError } from '../contracts/rpc-error.js';
import type { ClientRequest } from '../contracts/surface.js';
import { TaskIds, type ServerTask } from '../state/task-ids.js';
import { checkPolicy } from './call-checks.js';
import type { CallRunner, PassedRequest } from './call-runner.js';
import { recordIn, textIn } from './request-params.js';
import { asSent } from './sent-result.js';
import type { SurfaceDeps } from './surface-deps.js';
import { readTaskState } from './task-state.js';

/** Longest time that a request waits for the result of a task that is completed, in milliseconds. */
const RESULT_MS = 30_000;

/** Returns whether a request of 2026-07-28 declares that it may be answered with a task. */
export function declaresTasks(params: JSONRPCObject): boolean {
  return isRecord(recordIn(capabilitiesIn(params), 'extensions')[TASKS_EXTENSION]);
}

/** A result that is being fetched, and how many requests wait for it. */
interface Fetching {
  readonly result: Promise<JSONRPCObject>;
  readonly left: AbortController;
  waiting: number;
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
  readonly #fetching = new Map<string, Fetching>();

  constructor(deps: SurfaceDeps, runner: CallRunner) {
    this.#deps = deps;
    this.#runner = runner;
    this.#ids = new TaskIds(deps.options.state, deps.clock);
  }

  /** Calls a tool. Resolves with its result, or with the task with which the server has answered. */
  async call(
    request: ClientRequest,
    ref: ToolRef,
    args: JSONRPCObject,
    options: CallToolOptions,
  ): Promise<JSONRPCObject> {
    const { host } = this.#deps.options;
    const identity = await this.#identityIfOffered(ref.server, options);
    if (identity === undefined) return asSent(await host.callTool(ref, args, options), 'modern');
    const left = new AbortController();
    let created: ToolTask | undefined;
    let id: string | undefined;
    const onUpdate = (task: ToolTask): void => {
      if (created !== undefined) return;
      created = task;
      id = this.#ids.seal({ ...ref, identity, taskId: task.taskId }, ownerOf(request));
      // The host polls a task whose id would be too long.
      if (id !== undefined) left.abort();
    };
    const signal = AbortSignal.any([left.signal, ...(options.signal ? [options.signal] : [])]);
    const given = { ...options, signal, task: { keep: true, onUpdate } };
    // An interceptor may answer instead of the call that was left.
    const [settled] = await Promise.allSettled([host.callTool(ref, args, given)]);
    const isLeft = options.signal?.aborted === true;
    if (created !== undefined) {
      const { server, tool: _tool, principal, taskId, ...state } = created;
      if (id !== undefined && !isLeft) return { resultType: 'task', ...state, taskId: id };
      // No one knows the task.
      if (id !== undefined || settled.status === 'rejected') {
        host
          .request({ server, method: 'tasks/cancel' }, { taskId }, { principal })
          .catch((error: unknown) =>
            this.#deps.options.logger?.warn('A task was not canceled.', { server, error: String(error) }),
          );
      }
    }
    if (settled.status === 'rejected') throw settled.reason;
    return asSent(settled.value, 'modern');
  }

  /** Answers `tasks/get`. */
  get(request: ClientRequest): Promise<JSONRPCObject> {
    return this.#about(request, async (task, options) => {
      const { server, taskId } = task;
      const asked = { server, method: request.method };
      const { host } = this.#deps.options;
      const state = readTaskState(await host.request(asked, { taskId }, options), {
        server,
        taskId,
        callbacks: this.#deps.callbacks?.hostCallbacks,
        capabilities: capabilitiesIn(request.params),
      });
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

  /** Returns the identity of the server; `undefined` if it has no tasks, and while replicas would not know them. */
  async #identityIfOffered(server: string, { principal }: CallToolOptions): Promise<string | undefined> {
    const { host, logger } = this.#deps.options;
    const state = snapshotOf(host, server, principal)?.state;
    const extensions = state?.status === 'connected' && recordIn(state.connection.capabilities, 'extensions');
    if (extensions && !isRecord(extensions[TASKS_EXTENSION])) return undefined;
    try {
      await this.#ids.refresh();
      return snapshotOf(host, server, undefined)?.identity;
    } catch (error) {
      logger?.warn('A call is not offered as a task.', { error: String(error) });
      return undefined;
    }
  }

  /** Passes on a request about a task of the caller, who must see its tool, and whom the policy must allow it, now. */
  async #about(
    request: ClientRequest,
    work: (task: ServerTask, options: Parameters<PassedRequest['work']>[0]) => Promise<JSONRPCObject>,
  ): Promise<JSONRPCObject> {
    const { exposure, options } = this.#deps;
    const { host, policy } = options;
    const task = await this.#ids.open(textIn(request.params, 'taskId'), ownerOf(request));
    const isAllowed =
      task !== undefined &&
      task.identity === snapshotOf(host, task.server, undefined)?.identity &&
      exposure.hasKind('tools') &&
      exposure.hasServer(request, task.server) &&
      exposure.allows(request, 'tool', task.server, task.tool);
    if (!isAllowed) throw unknownTask();
    const { server, tool: target } = task;
    return this.#runner.once(request, {
      server,
      target,
      params: {},
      work: async (callOptions, call) => {
        // A policy that denies the tool by now does not keep its work going.
        if (policy !== undefined && request.method !== 'tasks/cancel')
          await checkPolicy({ server, tool: target }, undefined, { host, scope: request, policy, call });
        return work(task, callOptions);
      },
    });
  }

  /** Returns the result as a call does: the host reads it, and its interceptors see it. Requests for the same one share it. */
  async #result(task: ServerTask, options: CallToolOptions): Promise<JSONRPCObject> {
    const { server, taskId } = task;
    const key = JSON.stringify([options.principal, server, taskId]);
    const fetching = this.#fetching.get(key) ?? this.#fetch(task, options);
    this.#fetching.set(key, fetching);
    fetching.waiting++;
    const error = (): Error =>
      new FittingsError(
        'TIMEOUT',
        `The server "${server}" did not return the result of a completed task within ${RESULT_MS} ms.`,
        { server, delivery: 'unknown' },
      );
    const { signal } = options;
    try {
      return await withTimeout(
        { ms: RESULT_MS, error, signal, clock: this.#deps.clock },
        () => fetching.result,
      );
    } finally {
      if (--fetching.waiting === 0) {
        this.#fetching.delete(key);
        fetching.left.abort();
      }
    }
  }

  #fetch({ server, tool, taskId }: ServerTask, options: CallToolOptions): Fetching {
    const left = new AbortController();
    const given = { ...options, signal: left.signal, task: { resume: taskId, keep: true } };
    const result = this.#deps.options.host
      .callTool({ server, tool }, {}, given)
      .then((each) => asSent(each, 'modern'));
    // Those who waited for it may have left.
    result.catch(() => undefined);
    return { result, left, waiting: 0 };
  }
}

function capabilitiesIn(params: JSONRPCObject): JSONRPCObject {
  return recordIn(recordIn(params, '_meta'), META.clientCapabilities);
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

import type { CallToolOptions, Host } from './contracts/host.js';
import type { ToolResult } from './contracts/content.js';
import type { InterceptedOperations } from './contracts/interceptor.js';
import { checkRecord, checkRef, checkTaskOptions, checkText, unknownTool } from './check-arguments.js';
import { readCompletion, readPromptResult, readToolResult } from './engine/read-results.js';
import { callAsTask } from './engine/required-task.js';
import type { Unsigned } from './interception/run-interceptors.js';
import type { ServerConnection } from './server/server-connection.js';
import type { Call } from './calls/server-calls.js';
import type { ToolTasks } from './calls/tool-tasks.js';

/** The operations of a host that go to a server, and that interceptors surround. */
type OperationName = keyof Host & Exclude<keyof InterceptedOperations, 'connect'>;
type Result<Name extends OperationName> = InterceptedOperations[Name]['result'];

/** Runs an operation of a caller with its server, through the interceptors if there are any. */
export type RunOperation = <Name extends OperationName>(
  request: Unsigned<Name>,
  work: (server: ServerConnection, request: Unsigned<Name>) => Promise<Result<Name>>,
) => Promise<Result<Name>>;

/** Requests and notifications of any method, about which the host knows nothing. */
const ONCE = { target: undefined, repeatable: false } as const;

/** Returns the operations of a host. Each checks its arguments, and says what it sends and how its result is read. */
export function createOperations(run: RunOperation, toolTasks: ToolTasks): Pick<Host, OperationName> {
  /** Calls a tool that may answer with a task, or resumes the task of an earlier call. */
  const callWithTask = async (
    { calls }: ServerConnection,
    call: Call<ToolResult> & { readonly target: string },
    task: NonNullable<CallToolOptions['task']>,
  ): Promise<ToolResult> => {
    checkTaskOptions(task);
    const opened = toolTasks.open(call.target, task);
    try {
      return await calls.send({
        ...call,
        // A task is resumed, not created again.
        get repeatable() {
          return call.repeatable || opened.taskId !== undefined;
        },
        send: (session, params, sending) =>
          opened.send(session, params, sending, (...asked) => callAsTask(session, ...asked)),
      });
    } finally {
      opened.forget();
    }
  };
  return {
    async callTool(ref, args = {}, given = {}) {
      checkRef('callTool', ref, ['server', 'tool']);
      checkRecord('callTool', 'second argument', args);
      const { server, tool } = ref;
      return run<'callTool'>(
        { operation: 'callTool', server, tool, args, options: given },
        (connection, sent) => {
          const definition = connection.tool(sent.tool);
          const { task, unlisted }: CallToolOptions = sent.options;
          const isConnected = connection.supervisor.state.status === 'connected';
          if (definition === undefined && isConnected && unlisted !== 'send' && task?.resume === undefined) {
            const names = connection.lists.tools.map((each) => each.name);
            throw unknownTool(server, sent.tool, names);
          }
          const hints = definition?.annotations;
          const isHarmless = hints?.readOnlyHint === true || hints?.idempotentHint === true;
          const call: Call<ToolResult> & { readonly target: string } = {
            method: 'tools/call',
            target: sent.tool,
            needs: 'tools',
            params: { name: sent.tool, arguments: { ...sent.args } },
            definition,
            options: sent.options,
            repeatable: isHarmless,
            ...(definition?.execution?.taskSupport === 'required' && {
              send: callAsTask,
            }),
            read: (result) => readToolResult(server, result),
          };
          return task === undefined ? connection.calls.send(call) : callWithTask(connection, call, task);
        },
      );
    },
    async getPrompt(ref, args = {}, given = {}) {
      checkRef('getPrompt', ref, ['server', 'prompt']);
      checkRecord('getPrompt', 'second argument', args);
      const { server, prompt } = ref;
      return run<'getPrompt'>(
        { operation: 'getPrompt', server, prompt, args, options: given },
        ({ calls }, sent) =>
          calls.send({
            method: 'prompts/get',
            target: sent.prompt,
            needs: 'prompts',
            params: { name: sent.prompt, arguments: { ...sent.args } },
            options: sent.options,
            repeatable: true,
            read: (result) => readPromptResult(server, result),
          }),
      );
    },
    async readResource(ref, given = {}) {
      checkRef('readResource', ref, ['server', 'uri']);
      return run<'readResource'>(
        { operation: 'readResource', server: ref.server, uri: ref.uri, options: given },
        (connection, sent) => connection.readResource(sent.uri, sent.options),
      );
    },
    async complete(ref, given = {}) {
      checkRef('complete', ref, ['server']);
      checkRef('complete', ref.argument, ['name', 'value']);
      const { server, ...params } = ref;
      return run<'complete'>(
        { operation: 'complete', server, params, options: given },
        async ({ calls }, sent) => {
          // An interceptor may have changed it.
          checkRef('complete', sent.params.argument, ['name', 'value']);
          return calls.send({
            method: 'completion/complete',
            target: sent.params.argument.name,
            needs: 'completions',
            params: { ...sent.params },
            options: sent.options,
            repeatable: true,
            read: (result) => readCompletion(server, result),
          });
        },
      );
    },
    async request(ref, params = {}, given = {}) {
      checkRef('request', ref, ['server', 'method']);
      checkRecord('request', 'second argument', params);
      return run<'request'>(
        { operation: 'request', server: ref.server, method: ref.method, params, options: given },
        ({ calls }, sent) => calls.send({ ...sent, ...ONCE, read: (result) => result }),
      );
    },
    async notify(server, method, params = {}, given = {}) {
      checkText('The method of host.notify()', method);
      checkRecord('notify', 'third argument', params);
      await run<'notify'>(
        { operation: 'notify', server, method, params, options: given },
        ({ calls }, sent) =>
          calls.send({
            ...sent,
            ...ONCE,
            async send(session, content, { headers }) {
              await session.notify(sent.method, content, { headers });
              return {};
            },
            read: () => undefined,
          }),
      );
    },
    async subscribe(ref, given = {}) {
      checkRef('subscribe', ref, ['server', 'uri']);
      await run<'subscribe'>(
        { operation: 'subscribe', server: ref.server, uri: ref.uri, options: given },
        ({ subscriptions }, sent) => subscriptions.subscribe(sent.uri, sent.options),
      );
    },
    async unsubscribe(ref, given = {}) {
      checkRef('unsubscribe', ref, ['server', 'uri']);
      await run<'unsubscribe'>(
        { operation: 'unsubscribe', server: ref.server, uri: ref.uri, options: given },
        ({ subscriptions }, sent) => subscriptions.unsubscribe(sent.uri, sent.options),
      );
    },
    async setLogLevel(server, level, given = {}) {
      checkText('The level of host.setLogLevel()', level);
      await run<'setLogLevel'>(
        { operation: 'setLogLevel', server, level, options: given },
        ({ subscriptions }, sent) => subscriptions.setLogLevel(sent.level, sent.options),
      );
    },
  };
}

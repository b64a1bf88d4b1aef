import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { TASKS_EXTENSION } from '@mcp-fittings/tasks';

/** A JSON-RPC error that a server of the tests answers with. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface BoardTask {
  readonly taskId: string;
  readonly tool: string;
  polls: number;
  cancelled: boolean;
  readonly answers: Record<string, unknown>;
  /** How often `tasks/update` brought a key. */
  readonly updates: string[][];
}

/** What a poll of a task returns besides `taskId`, given the number of the poll. */
export type Script = (task: BoardTask) => JSONRPCObject;

const say = (text: string): JSONRPCObject => ({ content: [{ type: 'text', text }] });
const done = (result: JSONRPCObject): JSONRPCObject => ({ status: 'completed', result });
const elicit = (message: string): JSONRPCObject => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
});
const named = (answer: unknown): string => {
  const content = isRecord(answer) ? answer['content'] : undefined;
  return isRecord(content) ? String(content['name']) : 'no one';
};

/** Tools whose calls become tasks. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  render: ({ polls }) =>
    polls < 3
      ? { status: 'working', statusMessage: `frame ${polls}` }
      : done(say(`rendered after ${polls} polls`)),
  'tool-error': () => done({ ...say('no paper'), isError: true }),
  greet({ answers, polls }) {
    if (polls < 2) return { status: 'working' };
    if (answers['first'] === undefined) return ask({ first: elicit('First name?') });
    if (answers['last'] === undefined)
      return ask({ first: elicit('First name?'), last: elicit('Last name?') });
    return done(say(`hello ${named(answers['first'])} ${named(answers['last'])}`));
  },
  think({ answers }) {
    if (answers['thought'] !== undefined) return done(say(JSON.stringify(answers['thought'])));
    const messages = [{ role: 'user', content: { type: 'text', text: 'think' } }];
    return ask({ thought: { method: 'sampling/createMessage', params: { messages, maxTokens: 5 } } });
  },
  fail: () => ({
    status: 'failed',
    error: { code: -32603, message: 'the printer burns', data: { at: 'tray' } },
  }),
  forever: ({ polls, cancelled }) =>
    cancelled ? { status: 'cancelled' } : { status: 'working', statusMessage: `poll ${polls}` },
  refuse: ({ polls }) =>
    polls < 2 ? { status: 'working' } : { status: 'cancelled', statusMessage: 'the queue was emptied' },
};

function ask(inputRequests: JSONRPCObject): JSONRPCObject {
  return { status: 'input_required', inputRequests };
}

/** The tasks of a server, whatever wire it uses. */
export interface TaskBoard {
  readonly tasks: Map<string, BoardTask>;
  /** Every method that was called, in order. */
  readonly asked: string[];
  call(tool: string, capabilities: unknown): JSONRPCObject;
  get(taskId: unknown, capabilities: unknown): JSONRPCObject;
  update(taskId: unknown, responses: unknown, capabilities: unknown): JSONRPCObject;
  cancel(taskId: unknown, capabilities: unknown): JSONRPCObject;
  /** Resolves when `method` was called the given number of times in all. */
  called(method: string, times?: number): Promise<void>;
}

export interface TaskBoardOptions {
  readonly scripts?: Readonly<Record<string, Script>>;
  readonly pollIntervalMs?: number;
  readonly ttlMs?: number | null;
}

/**
 * A server side of the extension that keeps its rules: it creates tasks only for a client that declares the extension, and refuses
 * other requests about tasks with -32021.
 */
export function createTaskBoard(options: TaskBoardOptions = {}): TaskBoard {
  const { scripts = SCRIPTS, pollIntervalMs = 5, ttlMs = 60_000 } = options;
  const tasks = new Map<string, BoardTask>();
  const asked: string[] = [];
  const waiters = new Set<() => void>();
  const note = (method: string): void => {
    asked.push(method);
    for (const wake of waiters) wake();
  };
  const times = {
    createdAt: '2026-07-28T10:00:00Z',
    lastUpdatedAt: '2026-07-28T10:00:01Z',
    ttlMs,
    pollIntervalMs,
  };
  const demand = (capabilities: unknown): void => {
    const extensions = isRecord(capabilities) ? capabilities['extensions'] : undefined;
    if (isRecord(extensions) && isRecord(extensions[TASKS_EXTENSION])) return;
    throw new RpcFailure(-32_021, 'Missing required client capability', {
      requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
    });
  };
  const find = (taskId: unknown): BoardTask => {
    const task = tasks.get(String(taskId));
    if (task === undefined) throw new RpcFailure(-32_602, 'Task not found');
    return task;
  };
  return {
    tasks,
    asked,
    call(tool, capabilities) {
      note('tools/call');
      if (tool === 'quick') return say('at once');
      demand(capabilities);
      if (scripts[tool] === undefined) throw new RpcFailure(-32_602, `no tool ${tool}`);
      const taskId = `task-${tool}-${tasks.size + 1}`;
      tasks.set(taskId, { taskId, tool, polls: 0, cancelled: false, answers: {}, updates: [] });
      return { resultType: 'task', taskId, status: 'working', ...times };
    },
    get(taskId, capabilities) {
      note('tasks/get');
      demand(capabilities);
      const task = find(taskId);
      task.polls++;
      return { taskId: task.taskId, ...times, ...scripts[task.tool]?.(task) };
    },
    update(taskId, responses, capabilities) {
      note('tasks/update');
      demand(capabilities);
      const task = find(taskId);
      task.updates.push(Object.keys(isRecord(responses) ? responses : {}));
      Object.assign(task.answers, responses);
      return {};
    },
    cancel(taskId, capabilities) {
      demand(capabilities);
      find(taskId).cancelled = true;
      note('tasks/cancel');
      return {};
    },
    async called(method, count = 1) {
      while (asked.filter((each) => each === method).length < count) {
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiters.delete(wake);
            resolve();
          };
          waiters.add(wake);
        });
      }
    },
  };
}

import type { ToolCall } from './model-api.js';

/** The tools and the conversation so far, in the form of the model API. */
export interface ModelRequest {
  readonly tools: readonly object[];
  readonly messages: readonly object[];
}

/** The reply of a model: a tool call or the final answer. */
export type Turn = { readonly call: ToolCall } | { readonly answer: string };

export type Model = (request: ModelRequest) => Turn;

/**
 * Plays a task in five steps with typical mistakes: a name that is nearly right, and invalid arguments. It knows only what it
 * is sent, and reads it as text, so that it works with every API.
 */
export function scriptedModel(folder: string): Model {
  const path = `${folder}/note.txt`;
  let step = 0;
  let note = '';

  return ({ tools, messages }) => {
    step++;
    const names = Array.from(JSON.stringify(tools).matchAll(/"name":"([^"]+)"/g), ([, name = '']) => name);
    const read = JSON.stringify(messages.at(-1) ?? '');
    const call = (name: string, args: unknown): Turn => ({ call: { id: `call_${step}`, name, args } });
    switch (step) {
      case 1:
        return call(`${nameFor(names, 'get-sum')}s`, { a: 40, b: 2 });
      case 2:
        return call(/Did you mean \\"([^"\\]+)/.exec(read)?.[1] ?? '', { a: 'forty', b: 2 });
      case 3:
        return call(nameFor(names, 'get-sum'), { a: 40, b: read.includes('expected number') ? 2 : 0 });
      case 4:
        return call(nameFor(names, 'read_text_file', 'notes'), { path });
      case 5:
        note = /remember [a-z ]+/.exec(read)?.[0] ?? 'nothing';
        return call(nameFor(names, 'write_file', 'notes'), { path, content: 'changed' });
      default:
        return {
          answer: `The note says "${note}". ${read.includes('denied') ? 'I may not change it.' : ''}`,
        };
    }
  };
}

/** Returns the name that resembles this tool of this server, as a model would pick it. */
function nameFor(names: readonly string[], tool: string, server = ''): string {
  const alike = names.filter((name) => name.includes(tool));
  return alike.find((name) => name.includes(server)) ?? alike[0] ?? tool;
}

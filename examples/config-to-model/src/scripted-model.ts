import type { Model, ModelBlock } from './agent.js';

/** A model that calls three tools at once, then answers with the text of their results. */
export function scriptedModel(path: string): Model {
  return async ({ tools, messages }) => {
    const nameOf = (tool: string): string =>
      tools.find(({ name }) => name.endsWith(`__${tool}`))?.name ?? tool;
    if (messages.length > 1) return [{ type: 'text', text: textsIn(messages.at(-1)).join(' | ') }];
    const call = (tool: string, input: unknown): ModelBlock => ({
      type: 'tool_use',
      id: `call-${tool}`,
      name: nameOf(tool),
      input,
    });
    return [
      call('get-sum', { a: 40, b: 2 }),
      call('read_text_file', { path }),
      call('write_file', { path, content: 'changed' }),
    ];
  };
}

/** Returns every text in a message, at any depth. */
function textsIn(value: unknown): readonly string[] {
  return Array.from(JSON.stringify(value).matchAll(/"text":("(?:[^"\\]|\\.)*")/g), ([, text = '""']) =>
    String(JSON.parse(text)),
  );
}

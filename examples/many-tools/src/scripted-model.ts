import type { AnthropicTool } from '@mcp-fittings/tools';
import type { MessagesRequest, MessagesResponse } from './messages-api.js';
import type { Task } from './tasks.js';

export type Model = (body: string) => MessagesResponse;

/**
 * Plays a model that does these tasks. It knows only what is in the body of a request: it calls a tool that it was given and that
 * fits, searches if none does, and answers with what the tool returned.
 */
export function scriptedModel(tasks: readonly Task[]): Model {
  return (body) => {
    const { tools, messages } = JSON.parse(body) as MessagesRequest;
    const asked = messages.findLast(({ role, content }) => role === 'user' && typeof content === 'string');
    const task = tasks.find(({ ask }) => ask === asked?.content);
    if (asked === undefined || task === undefined) return say('I do not know what to do.');
    const since = messages.slice(messages.indexOf(asked) + 1);
    const calls = since.flatMap(({ role, content }) =>
      role === 'assistant' ? content.filter((block) => block.type === 'tool_use') : [],
    );
    const call = (name: string, input: object): MessagesResponse => ({
      content: [{ type: 'tool_use', id: `toolu_${messages.length}`, name, input }],
      stop_reason: 'tool_use',
    });
    const last = calls.at(-1);
    if (last !== undefined && task.fits.test(last.name)) return say(textOf(since.at(-1)?.content));
    const fitting = tools.find((tool) => task.fits.test(tool.name) && isLoaded(tool, messages));
    if (fitting !== undefined) return call(fitting.name, task.args);
    if (last !== undefined) return say('I have found no tool for that.');
    return call('tool_search', { query: task.query });
  };
}

/** The API shows a model no tool with `defer_loading` before a message refers to it. */
function isLoaded({ name, defer_loading }: AnthropicTool, messages: MessagesRequest['messages']): boolean {
  if (defer_loading !== true) return true;
  return messages.some(
    ({ role, content }) =>
      role === 'user' &&
      typeof content !== 'string' &&
      content.some((result) =>
        result.content.some((block) => block.type === 'tool_reference' && block.tool_name === name),
      ),
  );
}

function say(text: string): MessagesResponse {
  return { content: [{ type: 'text', text }], stop_reason: 'end_turn' };
}

/** The text of the results in a message. */
function textOf(content: MessagesRequest['messages'][number]['content'] | undefined): string {
  if (content === undefined || typeof content === 'string') return '';
  return content
    .flatMap((block) => (block.type === 'tool_result' ? block.content : []))
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
}

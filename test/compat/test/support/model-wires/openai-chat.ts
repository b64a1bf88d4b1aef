import * as z from 'zod';
import { bearerKey, demand, type ModelWire } from './model-wire.js';
import { demandStrictSchema, openAiFunction, openAiRefusal } from './openai-tools.js';

const call = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});
const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['user', 'system', 'developer']), content: z.string().min(1) }),
  z.looseObject({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    tool_calls: z.array(call).min(1).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);
const request = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(z.strictObject({ type: z.literal('function'), function: z.strictObject(openAiFunction) })),
});

/** @see https://platform.openai.com/docs/api-reference/chat */
export function openAiChat(): ModelWire {
  const respond = (said: object, finish_reason: string): object => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'gpt-5.1',
    choices: [
      {
        index: 0,
        finish_reason,
        logprobs: null,
        message: { role: 'assistant', content: null, refusal: null, ...said },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  return {
    path: /\/chat\/completions$/,
    keyOf: bearerKey,
    read(body) {
      const { messages, tools } = request.parse(body);
      for (const { function: each } of tools)
        if (each.strict === true) demandStrictSchema(each.name, each.parameters);
      return { tools: tools.map((each) => each.function.name), results: resultsIn(messages) };
    },
    call: (calls) =>
      respond(
        {
          tool_calls: calls.map(({ name, args }, index) => ({
            id: `call_${index}`,
            type: 'function',
            function: { name, arguments: JSON.stringify(args) },
          })),
        },
        'tool_calls',
      ),
    say: (text) => respond({ content: text }, 'stop'),
    refuse: openAiRefusal,
  };
}

/** Messages with results follow the message with the calls at once, one for each. */
function resultsIn(messages: readonly z.infer<typeof message>[]) {
  let open: string[] = [];
  const results: { text: string; images: [] }[] = [];
  for (const each of messages) {
    if (each.role === 'tool') {
      demand(
        open.includes(each.tool_call_id),
        "messages with role 'tool' must be a response to a preceding 'tool_calls'",
      );
      open = open.filter((id) => id !== each.tool_call_id);
      results.push({ text: each.content, images: [] });
      continue;
    }
    demand(open.length === 0, `tool_call_ids did not have response messages: ${open.join(', ')}`);
    if (each.role === 'assistant') open = each.tool_calls?.map(({ id }) => id) ?? [];
  }
  demand(open.length === 0, `tool_call_ids did not have response messages: ${open.join(', ')}`);
  return results;
}

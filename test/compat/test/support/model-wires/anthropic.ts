import * as z from 'zod';
import {
  bearerKey,
  demand,
  imageData,
  imageType,
  rootSchema,
  type ModelCallResult,
  type ModelWire,
} from './model-wire.js';

const text = z.looseObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/, 'text content blocks must be non-empty'),
});
const image = z.strictObject({
  type: z.literal('image'),
  source: z.strictObject({ type: z.literal('base64'), media_type: imageType, data: imageData }),
});
const toolUse = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const toolResult = z
  .strictObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    is_error: z.boolean().optional(),
    content: z.array(z.discriminatedUnion('type', [text, image])),
  })
  .refine(({ is_error, content }) => is_error !== true || content.every(({ type }) => type === 'text'), {
    error: 'all content must be type "text" if "is_error" is true',
  });
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('assistant'), content: z.array(z.union([text, toolUse])).min(1) }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string().min(1), z.array(z.union([text, image, toolResult])).min(1)]),
  }),
]);
const request = z.looseObject({
  model: z.string(),
  max_tokens: z.int().positive(),
  // This version has no parameters of sampling.
  temperature: z.undefined().optional(),
  top_p: z.undefined().optional(),
  top_k: z.undefined().optional(),
  messages: z.array(message).min(1),
  tools: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
      description: z.string().optional(),
      input_schema: rootSchema,
    }),
  ),
});

/** @see https://platform.claude.com/docs/en/api/versioning */
const VERSION = '2026-10-21';

/** @see https://docs.anthropic.com/en/api/messages */
export function anthropic(): ModelWire {
  const respond = (content: readonly object[], stop_reason: string): object => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5-5',
    content,
    stop_reason,
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  return {
    path: /\/v1\/messages$/,
    keyOf: (headers) => (headers['anthropic-version'] === VERSION ? bearerKey(headers) : undefined),
    read(body) {
      const { messages, tools } = request.parse(body);
      return { tools: tools.map(({ name }) => name), results: resultsIn(messages) };
    },
    call: (calls) =>
      respond(
        [
          { type: 'text', text: 'I call the tools.' },
          ...calls.map(({ name, args }, index) => ({
            type: 'tool_use',
            id: `toolu_${index}`,
            name,
            input: args,
          })),
        ],
        'tool_use',
      ),
    say: (said) => respond([{ type: 'text', text: said }], 'end_turn'),
    refuse: (said) => ({ type: 'error', error: { type: 'invalid_request_error', message: said } }),
  };
}

/** The message after one with calls begins with their results, one for each. */
function resultsIn(messages: readonly z.infer<typeof message>[]): readonly ModelCallResult[] {
  const results: ModelCallResult[] = [];
  messages.forEach((each, index) => {
    demand(
      each.role === (index % 2 === 0 ? 'user' : 'assistant'),
      'roles must alternate between "user" and "assistant"',
    );
    if (each.role !== 'assistant') return;
    const ids = each.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const next = messages[index + 1]?.content;
    const blocks = Array.isArray(next) ? next.slice(0, ids.length) : [];
    for (const id of ids) {
      const result = blocks.find((block) => block.type === 'tool_result' && block.tool_use_id === id);
      demand(
        result?.type === 'tool_result',
        `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}`,
      );
      results.push({
        text: result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
        images: result.content.flatMap((block) => (block.type === 'image' ? [block.source.media_type] : [])),
        failed: result.is_error === true,
      });
    }
  });
  return results;
}

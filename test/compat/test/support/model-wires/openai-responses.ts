import * as z from 'zod';
import { bearerKey, demand, imageType, type ModelCallResult, type ModelWire } from './model-wire.js';
import { demandStrictSchema, openAiFunction, openAiRefusal } from './openai-tools.js';

const outputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.strictObject({
    type: z.literal('input_image'),
    image_url: z.string().regex(/^data:image\/[a-z]+;base64,[A-Za-z0-9+/]{20,}={0,2}$/),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
]);
const item = z.union([
  z.looseObject({
    type: z.literal('message').optional(),
    role: z.enum(['user', 'system', 'developer', 'assistant']),
  }),
  z.looseObject({ type: z.literal('reasoning'), id: z.string(), summary: z.array(z.unknown()) }),
  z.looseObject({
    type: z.literal('function_call'),
    id: z.string().optional(),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id: z.string(),
    output: z.union([z.string(), z.array(outputPart).min(1)]),
  }),
  z.strictObject({ type: z.literal('item_reference'), id: z.string() }),
]);
type Item = z.infer<typeof item>;
const request = z.looseObject({
  model: z.string(),
  input: z.array(item).min(1),
  tools: z.array(z.strictObject({ type: z.literal('function'), ...openAiFunction })),
});

/** @see https://platform.openai.com/docs/api-reference/responses */
export function openAiResponses(): ModelWire {
  /** What was answered: a request may refer to it by its id. */
  const kept = new Map<string, Item>();
  const respond = (output: readonly Item[]): object => {
    for (const each of output) if ('id' in each && typeof each.id === 'string') kept.set(each.id, each);
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1_700_000_000,
      status: 'completed',
      model: 'gpt-5.1',
      output,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };
  };
  return {
    path: /\/responses$/,
    keyOf: bearerKey,
    read(body) {
      const { input, tools } = request.parse(body);
      for (const { name, parameters, strict } of tools)
        if (strict === true) demandStrictSchema(name, parameters);
      return { tools: tools.map(({ name }) => name), results: resultsIn(input, kept) };
    },
    call: (calls) =>
      respond([
        { type: 'reasoning', id: 'rs_1', summary: [] },
        ...calls.map(({ name, args }, index) => ({
          type: 'function_call' as const,
          id: `fc_${index}`,
          call_id: `call_${index}`,
          name,
          arguments: JSON.stringify(args),
          status: 'completed',
        })),
      ]),
    say: (text) =>
      respond([
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        },
      ]),
    refuse: openAiRefusal,
  };
}

/** The outputs in the order of the calls, each of which has to be there with the reasoning that led to it. */
function resultsIn(input: readonly Item[], kept: ReadonlyMap<string, Item>): readonly ModelCallResult[] {
  const items = input.map((each) => {
    if (each.type !== 'item_reference') return each;
    const meant = kept.get(each.id);
    demand(meant !== undefined, `Item with id '${each.id}' not found.`);
    return meant;
  });
  const calls = items.filter((each) => each.type === 'function_call');
  const outputs = new Map(
    items.flatMap((each) => (each.type === 'function_call_output' ? [[each.call_id, each.output]] : [])),
  );
  const reasoned = items.some((each) => each.type === 'reasoning' && each.id === 'rs_1');
  for (const { call_id, id } of calls) {
    demand(
      id === undefined || reasoned,
      `Item '${id}' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.`,
    );
    demand(outputs.has(call_id), `No tool output found for function call ${call_id}.`);
  }
  for (const id of outputs.keys())
    demand(
      calls.some(({ call_id }) => call_id === id),
      `No tool call found for function call output with call_id ${id}.`,
    );
  return calls.map(({ call_id }) => resultOf(outputs.get(call_id) ?? ''));
}

function resultOf(output: string | readonly z.infer<typeof outputPart>[]): ModelCallResult {
  if (typeof output === 'string') return { text: output, images: [] };
  return {
    text: output.flatMap((part) => (part.type === 'input_text' ? [part.text] : [])).join('\n'),
    images: output.flatMap((part) =>
      part.type === 'input_image' ? [imageType.parse(/^data:([^;]+)/.exec(part.image_url)?.[1])] : [],
    ),
  };
}

import * as z from 'zod';
import { demand, imageData, visitSchemas, type ModelCallResult, type ModelWire } from './model-wire.js';

const SIGNATURE = 'c2lnbmF0dXJlIG9mIGEgdGhvdWdodA==';

const functionCall = z.strictObject({
  id: z.string().optional(),
  name: z.string(),
  args: z.looseObject({}).optional(),
});
const functionResponse = z.strictObject({
  id: z.string().optional(),
  name: z.string(),
  response: z.looseObject({ output: z.string().optional(), error: z.string().optional() }),
  parts: z
    .array(
      z.strictObject({
        // https://ai.google.dev/gemini-api/docs/function-calling#multimodal
        inlineData: z.strictObject({
          mimeType: z.enum(['image/png', 'image/jpeg', 'image/webp']),
          data: imageData,
        }),
      }),
    )
    .optional(),
});
const part = z.union([
  z.strictObject({ text: z.string(), thoughtSignature: z.string().optional() }),
  z.strictObject({ functionCall, thoughtSignature: z.string().optional() }),
  z.strictObject({ functionResponse }),
]);
const request = z.looseObject({
  contents: z.array(z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) })).min(1),
  tools: z.array(
    z.strictObject({
      functionDeclarations: z.array(
        z.strictObject({
          name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/),
          description: z.string(),
          parametersJsonSchema: z.looseObject({ type: z.literal('object') }),
        }),
      ),
    }),
  ),
});
type Content = z.infer<typeof request>['contents'][number];

/** @see https://ai.google.dev/api/generate-content */
export function gemini(): ModelWire {
  const respond = (parts: readonly object[]): object => ({
    candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts } }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: 'gemini-3.8-flash',
  });
  return {
    path: /\/v1beta\/models\/[\w.-]+:generateContent$/,
    keyOf: (headers) => headers['x-goog-api-key'],
    read(body) {
      const { contents, tools } = request.parse(body);
      const declared = tools.flatMap(({ functionDeclarations }) => functionDeclarations);
      for (const { parametersJsonSchema } of declared) visitSchemas(parametersJsonSchema, demandKnownMembers);
      return { tools: declared.map(({ name }) => name), results: resultsIn(contents) };
    },
    call: (calls) =>
      respond(
        calls.map(({ name, args }, index) => ({
          functionCall: { id: `fc-${index}`, name, args },
          // Gemini 3 signs the first of the calls that it makes at once.
          ...(index === 0 && { thoughtSignature: SIGNATURE }),
        })),
      ),
    say: (text) => respond([{ text }]),
    refuse: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  };
}

function demandKnownMembers({ required, properties }: Readonly<Record<string, unknown>>): void {
  const known = Object.keys(z.looseObject({}).parse(properties ?? {}));
  for (const name of z.array(z.string()).parse(required ?? []))
    demand(known.includes(name), `required: property is not defined: ${name}`);
}

/** The content after one with calls has their responses, as many of them, by name and id. */
function resultsIn(contents: readonly Content[]): readonly ModelCallResult[] {
  return contents.flatMap(({ role, parts }, index) => {
    const calls = parts.flatMap((each) => ('functionCall' in each ? [each.functionCall] : []));
    if (calls.length === 0) return [];
    demand(role === 'model', 'a function call must be of the role "model"');
    const signed = parts.some((each) => 'functionCall' in each && each.thoughtSignature === SIGNATURE);
    demand(signed, `Function call ${calls[0]?.name} is missing a thought_signature in functionCall parts.`);
    const next = contents[index + 1];
    demand(next?.role === 'user', 'function call turn must be followed by a function response turn');
    const responses = next.parts.flatMap((each) =>
      'functionResponse' in each ? [each.functionResponse] : [],
    );
    demand(
      responses.length === calls.length,
      'the number of function response parts must equal the number of function call parts of the function call turn',
    );
    return calls.map(({ id, name }) => {
      const response = responses.find((each) => each.id === id);
      demand(response?.name === name, `no function response for ${name} with the id ${id}`);
      return {
        text: response.response.output ?? response.response.error ?? '',
        images: response.parts?.map(({ inlineData }) => inlineData.mimeType) ?? [],
        failed: response.response.error !== undefined,
      };
    });
  });
}

import * as z from 'zod';
import { demand, rootSchema, visitSchemas } from './model-wire.js';

/** A function as both APIs of OpenAI accept it. */
export const openAiFunction = {
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string().max(1024).optional(),
  parameters: rootSchema,
  strict: z.boolean().nullish(),
};

/** Strict mode demands closed objects that require all of their members. */
export function demandStrictSchema(name: string, parameters: unknown): void {
  visitSchemas(parameters, (schema) => {
    if (schema['type'] !== 'object') return;
    const where = `Invalid schema for function '${name}'`;
    demand(schema['additionalProperties'] === false, `${where}: 'additionalProperties' must be false`);
    const required = new Set(z.array(z.string()).parse(schema['required']));
    for (const member of Object.keys(z.object({}).loose().parse(schema['properties'])))
      demand(required.has(member), `${where}: 'required' must include '${member}'`);
  });
}

export const openAiRefusal = (message: string): object => ({
  error: { message, type: 'invalid_request_error', param: null, code: null },
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../../scripts/rounds.js';
import { createTools } from '../../src/create-tools.js';
import { aiSdkTools } from '../../src/model-apis/ai-sdk.js';
import { anthropicTools } from '../../src/model-apis/anthropic.js';
import { geminiFunctions } from '../../src/model-apis/gemini.js';
import { openAiResponsesTools } from '../../src/model-apis/openai.js';
import { jsonSchemas, jsonValues } from '../support/arbitrary-schemas.js';
import { fakeHost, tool } from '../support/fake-host.js';
import { judgeOf } from '../support/reference-validator.js';

const names = fc.constantFrom('a', 'b', 'ab');
const args = fc.dictionary(names, jsonValues, { maxKeys: 3, noNullPrototype: true });

/** Names such as `constructor` and references to everything around them are in other tests. */
const isOrdinary = (schema: unknown): boolean =>
  !/__proto__|constructor|"\$ref":"#"/.test(JSON.stringify(schema));
const schemas = jsonSchemas.filter(isOrdinary).map((schema) => ({ ...schema, type: 'object' }));

it('where nothing is reported, each API accepts the arguments that the server accepts', () => {
  let compared = 0;
  fc.assert(
    fc.property(schemas, fc.array(args, { minLength: 5, maxLength: 5 }), (inputSchema, values) => {
      const offered = createTools(fakeHost([tool('t', { inputSchema })])).snapshot();
      const [model] = offered.tools;
      if (model === undefined) return;
      const judge = judgeOf(inputSchema);
      let differences = 0;
      const onDifference = (): void => void differences++;
      const definitions = [
        () => anthropicTools([model], { onDifference })[0]?.input_schema,
        () => openAiResponsesTools([model], { onDifference })[0]?.parameters,
        () => geminiFunctions([model], { onDifference })[0]?.parametersJsonSchema,
        () => Object.values(aiSdkTools(offered, { onDifference }))[0]?.inputSchema.jsonSchema,
      ];
      for (const make of definitions) {
        differences = model.repairs.length;
        const definition = make() ?? expect.unreachable();
        if (differences > 0) continue;
        const judgeDefinition = judgeOf(definition);
        for (const value of values) {
          const expected = judge(model.originalArguments(value));
          const actual = judgeDefinition(value);
          if (expected === undefined || actual === undefined) continue;
          compared++;
          expect(actual, JSON.stringify({ definition, value })).toBe(expected);
        }
      }
    }),
    {
      numRuns: Number(process.env['FC_RUNS'] ?? rounds(400)),
      seed: Number(process.env['FC_SEED'] ?? 20_261_124),
    },
  );
  expect(compared).toBeGreaterThan(1_000);
}, 600_000);

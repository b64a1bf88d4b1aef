/** Compares what a conversion of a schema accepts with what the schema itself accepts. */
import { isDeepStrictEqual } from 'node:util';
import {
  anthropicTools,
  aiSdkTools,
  checkValue,
  convertSchema,
  createTools,
  geminiFunctions,
  openAiChatTools,
  openAiResponsesTools,
} from '@mcp-fittings/tools';
import { changed, createArguments, limitsOf } from './arguments.mjs';
import { judgeOf } from './judge.mjs';
import { createRandom } from './random.mjs';
import { anthropicProblems, geminiProblems, openAiProblems, openAiStrictProblems } from './vendor-rules.mjs';

/** @typedef {{ name: string, difference?: { keyword: string, pointer: string, reason: string } }} Report */

/** Zod without generated code, as the checker uses it. */
const PARSE = { jitless: true };
const WRONG_ROOTS = [null, [], 'text', 5, true];

/** Whether `checkValue` may leave a value unchecked that is large for its schema, as docs/schemas.md says. */
const isTooLarge = ({ stepsPerValue, stepsPerCharacter }, value) =>
  (stepsPerValue + stepsPerCharacter / 4) * JSON.stringify(value).length > 20_000_000;

/** Counts of one conversion. */
const emptyCounts = (more = {}) => ({
  tools: 0,
  judged: 0,
  arguments: 0,
  valid: 0,
  /** The conversion accepts what the schema rejects, and says so. */
  reportedAccepts: 0,
  /** The conversion rejects what the schema accepts, and says so. */
  reportedRejects: 0,
  unreported: 0,
  ...more,
});

/** Counts of all conversions. */
export const createCounts = () => ({
  tools: 0,
  /** Tools whose schema the validator cannot judge. */
  notJudged: 0,
  /** Tools that are not offered to models. */
  skipped: 0,
  /** Tools for which valid arguments were generated. */
  withValid: 0,
  /** Arguments with a number of 1e15 or more that has a fraction. */
  fractions: 0,
  zod: emptyCounts({ exact: 0, partial: 0, none: 0 }),
  checker: emptyCounts(),
  inputSchema: emptyCounts({ repaired: 0 }),
  anthropic: emptyCounts({ refused: 0, different: 0 }),
  openAi: emptyCounts({ refused: 0, different: 0 }),
  openAiStrict: emptyCounts({ refused: 0, strict: 0 }),
  gemini: emptyCounts({ refused: 0, different: 0 }),
  aiSdk: emptyCounts({ refused: 0, different: 0 }),
});

/** The pointer of a keyword, under one name for definitions. */
const normal = (pointer) => pointer.replaceAll('/definitions/', '/$defs/');

/**
 * Whether a place that rejects a value is near a reported difference: at it, inside it, or in a combination around it.
 * @param {readonly string[]} places Pointers to the keywords that reject.
 */
function isReported(places, differences) {
  return places.some((place) =>
    differences.some(({ pointer }) => {
      const reported = normal(pointer);
      // What is unevaluated depends on all schemas around it.
      const holder = place.includes('/unevaluated')
        ? place.split('/unevaluated')[0]
        : place.slice(0, place.lastIndexOf('/'));
      return place.startsWith(reported) || reported.startsWith(holder);
    }),
  );
}

const placesOf = (judge) =>
  (judge.errors ?? []).map(({ schemaPath }) => normal(decodeURI(schemaPath).replace(/^#/, '')));

/** The schema without the keywords that a conversion says it does not check. */
function relaxed(schema, differences) {
  const copy = structuredClone(schema);
  for (const { keyword, pointer } of differences) {
    const steps = pointer
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    let at = copy;
    for (const step of steps) at = at?.[step];
    if (typeof at !== 'object' || at === null) continue;
    // A name of an object that Zod cannot check is reported with its holder.
    delete at[keyword];
    if (keyword === '$ref' || keyword === '') for (const key of Object.keys(at)) delete at[key];
    if (keyword === 'pattern') delete at.patternProperties;
    if (keyword === 'if') for (const other of ['then', 'else']) delete at[other];
    if (keyword === '$dynamicRef') delete at.$recursiveRef;
  }
  return copy;
}

/**
 * Compares all conversions of one tool.
 * @param {{ server: string, name: string, inputSchema: object }} tool
 * @param {{ seed: string, values: number, counts: Record<string, object>, problem: (text: string) => void }} options
 */
export function compareTool(tool, { seed, values: wanted, counts, problem }) {
  const schema = tool.inputSchema;
  const label = `${tool.server}/${tool.name}`;
  const random = createRandom(`${seed} ${label}`);
  const judge = judgeOf(schema);
  const told = { ofTool: [], notStrict: [] };
  counts.tools++;
  const offered = createTools({
    tools: () => [{ digest: label, ...tool }],
    callTool: () => Promise.reject(new Error('none')),
  }).snapshot();
  const [model] = offered.tools;
  if (model === undefined) {
    counts.skipped++;
    return;
  }
  const onDifference = (difference) => told.ofTool.push(difference);
  const onNotStrict = ({ reason }) => told.notStrict.push(reason);
  counts.inputSchema.repaired += model.repairs.length > 0 ? 1 : 0;
  const differencesOf = (api, make) => {
    told.ofTool = [];
    const made = make();
    counts[api].different += told.ofTool.length > 0 ? 1 : 0;
    return { made, differences: [...model.repairs, ...told.ofTool] };
  };
  const strict = openAiResponsesTools([model], { strictWherePossible: true, onNotStrict })[0];
  const chat = openAiChatTools([model], { strictWherePossible: true })[0].function;
  const definitions = {
    inputSchema: { made: model.inputSchema, differences: model.repairs },
    anthropic: differencesOf('anthropic', () => anthropicTools([model], { onDifference })[0].input_schema),
    openAi: differencesOf('openAi', () => openAiResponsesTools([model], { onDifference })[0].parameters),
    gemini: differencesOf('gemini', () => geminiFunctions([model], { onDifference })[0].parametersJsonSchema),
    aiSdk: differencesOf(
      'aiSdk',
      () => Object.values(aiSdkTools(offered, { onDifference }))[0].inputSchema.jsonSchema,
    ),
  };
  const refused = (api, problems) => {
    for (const each of problems.slice(0, 3)) problem(`${api} refuses ${label}: ${each}`);
    counts[api].refused += problems.length > 0 ? 1 : 0;
  };
  refused('anthropic', anthropicProblems(definitions.anthropic.made));
  refused('openAi', openAiProblems(definitions.openAi.made));
  refused('gemini', geminiProblems(definitions.gemini.made));
  refused('aiSdk', anthropicProblems(definitions.aiSdk.made));
  counts.openAiStrict.strict += strict.strict ? 1 : 0;
  if (strict.strict) refused('openAiStrict', openAiStrictProblems(strict.parameters));
  else if (told.notStrict.length !== 1) problem(`openAiStrict does not say why ${label} is not strict`);
  if (!isDeepStrictEqual(strict.parameters, chat.parameters) || strict.strict !== chat.strict)
    problem(`Chat Completions and Responses differ for ${label}`);

  const names = ['zod', 'checker', ...Object.keys(definitions), 'openAiStrict'];
  for (const name of names) counts[name].tools++;
  if (judge === undefined) {
    counts.notJudged++;
    return;
  }
  for (const name of names) counts[name].judged++;

  const made = [...WRONG_ROOTS];
  const limits = limitsOf(schema);
  const valid = [];
  for (let round = 0; round < 8; round++) {
    // As the model writes them and as the server names them.
    const from = round % 3 === 2 ? schema : model.inputSchema;
    const value = createArguments(from, random, { least: round % 2 === 0 });
    made.push(value);
    if (judge(original(model, value))) valid.push(value);
  }
  counts.withValid += valid.length > 0 ? 1 : 0;
  while (made.length < wanted) {
    let value = random.pick(valid.length > 0 && random.chance(0.9) ? valid : made);
    for (let times = random.chance(0.25) ? 2 : 1; times > 0; times--) value = changed(value, random, limits);
    made.push(value);
  }

  const converted = convertSchema(schema);
  counts.zod[converted.coverage]++;
  const forZod = lazy(() => judgeOf(relaxed(schema, converted.unchecked)));
  const compiled = new Map();
  for (const [api, { made: definition, differences }] of Object.entries(definitions)) {
    const text = JSON.stringify(definition);
    const judges = compiled.get(text) ?? {
      judge: judgeOf(definition),
      all: lazy(() => judgeOf(definition, { allErrors: true })),
    };
    compiled.set(text, judges);
    definitions[api] = { ...judges, definition, differences };
    if (judges.judge === undefined)
      problem(`${api} has a schema for ${label} that the validator cannot compile`);
  }
  const schemaAll = lazy(() => judgeOf(schema, { allErrors: true }));
  const hasAlias =
    model.repairs.some(({ reason }) => reason.startsWith('model APIs reject')) ||
    /[^\x20-\x7e\n]/.test(JSON.stringify(schema));

  for (const value of made) {
    const isValid = judge(value);
    counts.fractions += hasFraction(value) ? 1 : 0;
    const parsed = converted.zod.safeParse(value, PARSE).success;
    const note = (name, accepts, expected, isSaid) => {
      const count = counts[name];
      count.arguments++;
      if (expected) count.valid++;
      if (accepts === expected) return;
      if (!isSaid()) {
        count.unreported++;
        problem(
          `${name} ${accepts ? 'accepts' : 'rejects'} for ${label}: ${JSON.stringify(value).slice(0, 300)}`,
        );
      } else if (accepts) count.reportedAccepts++;
      else count.reportedRejects++;
    };
    const issues = checkValue(converted, value);
    // A partial conversion accepts more values, never fewer.
    note(
      'zod',
      parsed,
      isValid,
      () => parsed && (converted.coverage === 'none' || forZod()?.(value) !== false),
    );
    note(
      'checker',
      issues.length === 0,
      isValid,
      () =>
        issues.length === 0 &&
        (converted.coverage === 'none' || forZod()?.(value) !== false || isTooLarge(converted, value)),
    );

    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const sent = original(model, value);
    if (!hasAlias && !isDeepStrictEqual(plain(sent), plain(value)))
      problem(`originalArguments changes the arguments of ${label}: ${JSON.stringify(value)}`);
    const isValidSent = judge(sent);
    // A model sees the escaped form of such a value, and passes that one.
    if (/[\u200b]/.test(JSON.stringify(value))) continue;
    for (const [api, { judge: ofModel, all, differences }] of Object.entries(definitions)) {
      if (ofModel === undefined) continue;
      const accepts = ofModel(value);
      const isSaid = () => {
        const rejected = accepts ? sent : value;
        // The first error, and all: Ajv can lose the one while it looks for the other.
        const places = (accepts ? [judge, schemaAll()] : [ofModel, all()]).flatMap((rejecting) => {
          rejecting(rejected);
          return placesOf(rejecting);
        });
        return isReported(places, differences);
      };
      note(api, accepts, isValidSent, isSaid);
      if (api === 'openAi' && strict.strict) note('openAiStrict', accepts, isValidSent, () => false);
    }
  }
}

/** What the server receives, without aliases. A value that is not an object is never sent. */
function original(model, value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return JSON.parse(JSON.stringify(model.originalArguments(bare(value))));
}

/** As a copy of untrusted JSON: without prototypes. */
const bare = (value) =>
  JSON.parse(JSON.stringify(value), (_key, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.assign(Object.create(null), member)
      : member,
  );
/** R10: above 1e15, Zod's own remainder has a tolerance of one half and more. */
const hasFraction = (value) => {
  if (typeof value === 'number') return Math.abs(value) >= 1e15 && !Number.isInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasFraction);
};
const plain = (value) => JSON.parse(JSON.stringify(value));

function lazy(make) {
  let made;
  return () => (made ??= { value: make() }).value;
}

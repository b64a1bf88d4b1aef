/** The figures of docs/schemas.md. */
const BEGIN = '<!-- begin of figures: node test/corpus/conversions.mjs -->';
const END = '<!-- end of figures -->';

/** @typedef {Readonly<Record<string, number>>} Counts */
/** @typedef {{ readonly servers: number, readonly corpus: Readonly<Record<string, any>>, readonly generated: Readonly<Record<string, any>> }} Results */

/**
 * Replaces the part of the page that is generated from the results.
 * @param {string} page
 * @param {Results} results
 * @returns {string}
 */
export function withFigures(page, results) {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/schemas.md has no "${BEGIN}" and "${END}".`);
  return `${before}${BEGIN}\n\n${figures(results)}\n\n${END}${after}`;
}

/** @param {number} count */
const thousands = (count) => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ' ');

/** How many definitions break a rule of their API. @param {Readonly<Record<string, any>>} counts */
const refusedOf = ({ anthropic, openAi, openAiStrict, gemini, aiSdk }) =>
  [anthropic, openAi, openAiStrict, gemini, aiSdk].reduce((sum, { refused }) => sum + refused, 0);

/** How many arguments a conversion judged otherwise than Ajv without a report. @param {Readonly<Record<string, any>>} counts */
const unreportedOf = ({ zod, checker, inputSchema, anthropic, openAi, openAiStrict, gemini, aiSdk }) =>
  [zod, checker, inputSchema, anthropic, openAi, openAiStrict, gemini, aiSdk].reduce(
    (sum, { unreported }) => sum + unreported,
    0,
  );

/** @param {Results} results */
function figures({ servers, corpus, generated }) {
  const { zod, openAiStrict, inputSchema } = corpus;
  return [
    `**${thousands(corpus.tools)} tools of ${servers} servers.** ${thousands(zod.exact)} convert to Zod exactly, ${zod.partial} partially and ${zod.none} not at all. ` +
      `${inputSchema.repaired} need a repair, and ${openAiStrict.strict} fit the strict mode of OpenAI as they are. ${refusedOf(corpus)} definitions break a rule of an API. ` +
      `Of ${thousands(zod.arguments)} arguments, ${unreportedOf(corpus)} were judged otherwise than by Ajv without a report.`,
    '',
    `**${thousands(generated.tools)} generated schemas** of all drafts, of which Ajv could judge ${thousands(generated.tools - generated.notJudged)}: ` +
      `of ${thousands(generated.zod.arguments)} arguments, ${unreportedOf(generated)} without a report; ${refusedOf(generated)} definitions break a rule of an API.`,
  ].join('\n');
}

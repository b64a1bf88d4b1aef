/** The figures of docs/schemas.md. */
const BEGIN = '<!-- begin of figures: node test/corpus/conversions.mjs -->';
const END = '<!-- end of figures -->';

/** @typedef {Readonly<Record<string, number>>} Counts */
/** @typedef {{ readonly servers: number, readonly corpus: Readonly<Record<string, any>>, readonly generated: Readonly<Record<string, any>> }} Results */

const TITLES = {
  zod: '`convertSchema().zod`',
  checker: '`checkValue()`',
  inputSchema: '`tool.inputSchema`',
  anthropic: '`anthropicTools`',
  openAi: '`openAiResponsesTools`, `openAiChatTools`',
  openAiStrict: 'the same, with `strict: true`',
  gemini: '`geminiFunctions`',
  aiSdk: '`aiSdkTools`',
};

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

/** @param {Results} results */
function figures({ servers, corpus, generated }) {
  const { zod, openAiStrict, inputSchema } = corpus;
  return [
    `**${thousands(corpus.tools)} tools of ${servers} servers.** ${thousands(zod.exact)} convert to Zod exactly, ${zod.partial} partially and ${zod.none} not at all. ` +
      `${inputSchema.repaired} need a repair, and ${openAiStrict.strict} fit the strict mode of OpenAI as they are. ${refusedOf(corpus)} definitions break a rule of an API. ` +
      `Valid arguments were generated for ${thousands(corpus.withValid)}.`,
    '',
    tableOf(corpus),
    '',
    `**${thousands(generated.tools)} generated schemas** of all drafts, of which the validator could judge ${thousands(generated.tools - generated.notJudged)}:`,
    '',
    tableOf(generated),
    '',
    `${refusedOf(generated)} of these definitions break a rule of an API.`,
  ].join('\n');
}

/** @param {Readonly<Record<string, any>>} counts */
function tableOf(counts) {
  // No generated schema fits the strict mode.
  const compared = Object.entries(TITLES).filter(([name]) => counts[name].arguments > 0);
  const rows = compared.map(([name, title]) => {
    const { arguments: count, reportedAccepts, reportedRejects, unreported } = counts[name];
    return [title, count, reportedAccepts, reportedRejects, unreported].map((each) =>
      typeof each === 'number' ? thousands(each) : each,
    );
  });
  const head = [
    'conversion',
    'arguments',
    'accepts more, reported',
    'rejects more, reported',
    'not reported',
  ];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  const line = (/** @type {readonly string[]} */ cells, /** @type {number} */ row) =>
    `| ${cells.map((cell, column) => (column === 0 || row < 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [
    line(
      head.map((title, column) => (column === 0 ? title : title.padStart(widths[column] ?? 0))),
      -1,
    ),
    rule,
    ...rows.map((row, index) => line(row, index)),
  ].join('\n');
}

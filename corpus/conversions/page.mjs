/** The figures of docs/schemas.md. */
const BEGIN = '<!-- begin of figures: node corpus/conversions.mjs -->';
const END = '<!-- end of figures -->';

/** Replaces the part of the page that is generated from the results. */
export function withFigures(page, results) {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/schemas.md has no "${BEGIN}" and "${END}".`);
  return `${before}${BEGIN}\n\n${figures(results)}\n\n${END}${after}`;
}

function figures() {
  return '';
}

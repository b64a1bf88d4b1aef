import { parse, TomlError } from 'smol-toml';
import { parseDocument, type JsonDocument } from '../jsonc/parse-document.js';
import { problem, type ConfigProblem } from '../problems.js';

/** A document of another program; positions of TOML are not known, except that of a mistake. */
export function parseForeign(
  format: 'json' | 'toml',
  text: string,
  file: string,
): { readonly document: JsonDocument; readonly hasPlaces: boolean } | { readonly problem: ConfigProblem } {
  if (format === 'json') {
    const parsed = parseDocument(text, file);
    return 'problem' in parsed ? parsed : { document: parsed.document, hasPlaces: true };
  }
  try {
    const parsed = parseDocument(JSON.stringify(parse(text)), file);
    return 'problem' in parsed ? parsed : { document: parsed.document, hasPlaces: false };
  } catch (error) {
    const place = error instanceof TomlError ? { file, line: error.line, column: error.column } : { file };
    return { problem: problem('JSON_SYNTAX', 'The text is not TOML.', { place }) };
  }
}

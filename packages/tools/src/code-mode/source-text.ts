import { escapeText } from '@mcp-fittings/toolbox/text';
import type { Json, JsonObject } from '../json/copy-json.js';
import { boundedJson } from '../json/bounded-json.js';

/** A name that needs no quotes. Identifiers of other scripts depend on the version of Unicode that a compiler knows. */
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/** Matches characters that a reader cannot see, or cannot tell from a blank. */
const UNSEEN = /[^\P{C}]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}/gu;

/** Returns a string literal of TypeScript and JavaScript, in which no character is invisible. */
export function stringLiteral(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll(UNSEEN, escapeUnits);
  return `'${escaped}'`;
}

function escapeUnits(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  let escaped = '';
  for (let index = 0; index < character.length; index++)
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  return escaped;
}

/** Returns the name of a property, quoted if it has to be. */
export function propertyName(name: string): string {
  // `new(…)` would be a constructor, and `__proto__:` the prototype of a value.
  return PLAIN_NAME.test(name) && name !== 'new' && name !== '__proto__' ? name : stringLiteral(name);
}

/** Words that cannot name a variable or a namespace. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    'abstract any arguments as async await boolean break case catch class const constructor continue debugger declare default ' +
    'delete do else enum eval export extends false finally for from function get if implements import in infer instanceof ' +
    'interface is keyof let module namespace never new null number object of package private protected public readonly ' +
    'require return set static string super switch symbol this throw true try type typeof undefined unique unknown using ' +
    'var void while with yield'
  ).split(' '),
);

/** The longest description that is written, in characters, and in lines. */
const MAX_CHARACTERS = 2_000;
const MAX_LINES = 60;

/**
 * Returns the lines of a documentation comment, without indentation; none if there is no text. Nothing in the text ends the
 * comment, is invisible, or is a tag or a directive of a compiler.
 */
export function commentLines(text: string): readonly string[] {
  const lines = escapeText(text.replaceAll(/\r\n?/g, '\n').trim(), {
    maxLength: MAX_CHARACTERS,
    multiline: true,
  })
    .replaceAll('*/', '*\\/')
    // In the middle of a word it is an address. Elsewhere it would be a tag, or a directive such as `@ts-ignore`.
    .replaceAll(/(?<![\w\\])@/g, '\\@')
    .split('\n')
    .map((line) => line.trimEnd())
    // Two empty lines in a row are one.
    .filter((line, index, all) => line !== '' || all[index - 1] !== '');
  const shown =
    lines.length <= MAX_LINES
      ? lines
      : [...lines.slice(0, MAX_LINES), `… (${lines.length - MAX_LINES} more lines)`];
  return shown.length === 1 && shown[0] === '' ? [] : shown;
}

/** Wraps lines of {@link commentLines} in a comment. */
export function docComment(lines: readonly string[], indent: string): string {
  const [only] = lines;
  if (only === undefined) return '';
  if (lines.length === 1) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd() + '\n').join('')}${indent} */\n`;
}

/** Keywords that no type expresses, in the order in which they are written. */
const CONSTRAINTS = [
  'format',
  'pattern',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'default',
];
const MAX_CONSTRAINT = 200;

/** Returns what a comment says about a schema: its description, and what the type does not say. */
export function schemaComment(schema: JsonObject): readonly string[] {
  const { description, title, deprecated } = schema;
  const text = [description, title].find((each): each is string => isText(each)) ?? '';
  const constraints = constraintsOf(schema);
  return [
    ...commentLines(text),
    ...(constraints === '' ? [] : commentLines(`(${constraints})`)),
    ...(deprecated === true ? ['@deprecated'] : []),
  ];
}

function constraintsOf(schema: JsonObject): string {
  const { type } = schema;
  const integer = type === 'integer' || (Array.isArray(type) && type.includes('integer'));
  const named = CONSTRAINTS.flatMap((keyword) => {
    const value: Json | undefined = schema[keyword];
    if (value === undefined || (value === false && keyword === 'uniqueItems')) return [];
    const written = boundedJson(value, MAX_CONSTRAINT).replaceAll(/\n */g, ' ');
    return `${keyword}: ${written}`;
  });
  return [...(integer ? ['integer'] : []), ...named].join(', ');
}

export const isText = (value: Json | undefined): value is string =>
  typeof value === 'string' && value.trim() !== '';

import { fieldPath } from '../display-text.js';
import { isJsonList, type JsonObject, type JsonValue } from '../jsonc/json-value.js';

/** A part of a text with variables. `malformed` begins with `${` and is not a variable. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'variable';
      readonly text: string;
      readonly name: string;
      /** The default after `:-`; undefined without one. */
      readonly fallback: string | undefined;
    }
  | { readonly kind: 'input'; readonly text: string; readonly id: string }
  | { readonly kind: 'malformed'; readonly text: string };

/** `$${` is a literal `${`. A default ends at the first `}`. */
const PART = /\$\$\{|\$\{([^}]*)(\})?|\$([A-Za-z_]\w*)/g;
const INPUT = /^input:([^\p{Cc}]{1,100})$/u;
const VARIABLE = /^([A-Za-z_]\w*)(?::-([\s\S]*))?$/;

/** Splits a text into literal parts and variables, in one pass, so that the value of a variable is never parsed again. */
export function parseTemplate(text: string, bare: boolean): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  const literal = (end: number): void => {
    if (end > at) parts.push({ kind: 'text', text: text.slice(at, end) });
  };
  for (const match of text.matchAll(PART)) {
    const [whole, inside, close, bareName] = match;
    if (bareName !== undefined && !bare) continue;
    literal(match.index);
    at = match.index + whole.length;
    if (whole === '$${') parts.push({ kind: 'text', text: '${' });
    else if (bareName !== undefined)
      parts.push({ kind: 'variable', text: whole, name: bareName, fallback: undefined });
    else parts.push(bracedPart(whole, inside ?? '', close !== undefined));
  }
  literal(text.length);
  return parts;
}

function bracedPart(whole: string, inside: string, closed: boolean): TemplatePart {
  const [, id] = (closed ? INPUT.exec(inside) : null) ?? [];
  if (id !== undefined) return { kind: 'input', text: whole, id };
  const [, name, fallback] = (closed ? VARIABLE.exec(inside) : null) ?? [];
  // A variable inside a default is ambiguous, because the default ends at the first brace.
  if (name === undefined || fallback?.includes('${') === true) return { kind: 'malformed', text: whole };
  return { kind: 'variable', text: whole, name, fallback };
}

/** `${NAME}` or `${NAME:-fallback}`; undefined if the name cannot be a variable's. */
export function variableReference(name: string, fallback?: string): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name)) return undefined;
  return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`;
}

/** Every string in a value, with the path of its field. */
export function* stringValues(
  value: JsonValue,
  keys: readonly (string | number)[] = [],
): Generator<[string, string]> {
  if (typeof value === 'string') yield [fieldPath(keys), value];
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      yield* stringValues(member, [...keys, Array.isArray(value) ? Number(key) : key]);
    }
  }
}

/** Paths of the members whose key has a variable. Keys are not expanded. */
export function* keysWithVariables(
  value: JsonValue,
  bare: boolean,
  keys: readonly (string | number)[] = [],
): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const path = [...keys, Array.isArray(value) ? Number(key) : key];
    if (!Array.isArray(value) && parseTemplate(key, bare).some(({ kind }) => kind !== 'text'))
      yield fieldPath(path);
    yield* keysWithVariables(member, bare, path);
  }
}

/**
 * Returns whether a variable stands for the root of the project, in every scope: `${workspaceFolder}`, as VS Code spells it, and `${PWD}`,
 * which POSIX shells set and those of Windows do not. The environment is not read for them.
 */
export function isProjectFolder(name: string): boolean {
  return name === 'workspaceFolder' || name === 'PWD';
}

/** Names of the variables that a value uses, with the paths of the fields. Does not read the environment. */
export function referencedVariables(value: JsonValue, bare: boolean): ReadonlyMap<string, readonly string[]> {
  const uses = new Map<string, string[]>();
  for (const [path, text] of stringValues(value)) {
    for (const part of parseTemplate(text, bare)) {
      if (part.kind !== 'variable') continue;
      const fields = uses.get(part.name) ?? [];
      if (!fields.includes(path)) fields.push(path);
      uses.set(part.name, fields);
    }
  }
  return uses;
}

/** Stands for the whole environment in a list of variable names. */
export const ALL_VARIABLES = '*';

/**
 * Names of the variables that `inheritEnv` copies from the user's environment, with the paths of the fields. A value that
 * is not absent, `safe`, or a list of plain names counts as {@link ALL_VARIABLES}.
 */
export function inheritedVariables(entry: JsonObject): ReadonlyMap<string, readonly string[]> {
  const { inheritEnv } = entry;
  if (inheritEnv === undefined || inheritEnv === 'safe') return new Map();
  const every: ReadonlyMap<string, readonly string[]> = new Map([[ALL_VARIABLES, ['inheritEnv']]]);
  if (!isJsonList(inheritEnv)) return every;
  const uses = new Map<string, readonly string[]>();
  for (const [index, name] of inheritEnv.entries()) {
    if (typeof name !== 'string' || /[$*]/.test(name)) return every;
    uses.set(name, [`inheritEnv[${String(index)}]`]);
  }
  return uses;
}

/** Returns every variable of the environment that a server would receive: those that its fields use and those that it inherits. */
export function requestedVariables(entry: JsonObject, bare: boolean): ReadonlyMap<string, readonly string[]> {
  const uses = new Map([...referencedVariables(entry, bare)].filter(([name]) => !isProjectFolder(name)));
  for (const [name, fields] of inheritedVariables(entry))
    uses.set(name, [...(uses.get(name) ?? []), ...fields]);
  return uses;
}

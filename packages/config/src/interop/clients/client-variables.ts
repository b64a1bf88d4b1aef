import { isRecord } from '@mcp-fittings/toolbox/messages';
import { quoteText } from '../../display-text.js';
import { type JsonObject, type JsonValue, isJsonList } from '../../jsonc/json-value.js';
import { isProjectFolder, parseTemplate, variableReference } from '../../variables/syntax.js';
import type { ClientReadOptions, Conversion } from './client-format.js';

/** Converts the variables in the entries of a client. */
export interface VariableRules {
  /** Changes an entry of the client before its fields are read. */
  readonly before?: (entry: JsonObject) => JsonObject;
  /** Changes the variables once the fields are ours. */
  readonly after?: (entry: JsonObject, options: ClientReadOptions) => Conversion;
  /** Writes our variables into an entry of the client. */
  readonly write: (entry: JsonObject, title: string) => Conversion;
}

/** A copy of an entry in which every string is replaced. */
function mapTexts(entry: JsonObject, change: (text: string) => string): JsonObject {
  const map = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return change(value);
    if (isJsonList(value)) return value.map(map);
    return isRecord(value) ? mapTexts(value, change) : value;
  };
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, map(value)]));
}

/** Escapes every `${` of an entry from a client that does not expand variables. */
function escapeVariables(entry: JsonObject): JsonObject {
  return mapTexts(entry, literal);
}

function literal(text: string): string {
  // A function, because `$$` in a replacement string is one dollar sign.
  return text.replaceAll('${', () => '$${');
}

/**
 * Converts the variables of a client to ours. `translate` returns the replacement of each match of the pattern, or
 * undefined if it has no equivalent; it may add notes.
 */
export function translateVariables(
  entry: JsonObject,
  pattern: RegExp,
  translate: (match: RegExpExecArray, note: (text: string) => void) => string | undefined,
): Conversion {
  const notes = new Set<string>();
  let unknown: string | undefined;
  const translated = mapTexts(entry, (text) => {
    let result = '';
    let at = 0;
    for (const match of text.matchAll(pattern)) {
      const ours = translate(match, (note) => notes.add(note));
      if (ours === undefined) unknown ??= match[0];
      result += literal(text.slice(at, match.index)) + (ours ?? match[0]);
      at = match.index + match[0].length;
    }
    return result + literal(text.slice(at));
  });
  return unknown === undefined
    ? { entry: translated, notes: [...notes] }
    : { reason: `It uses ${JSON.stringify(unknown)}, which has no equivalent here.` };
}

/** Converts the variables of VS Code and editors based on it: `${env:NAME}`, `${workspaceFolder}`, … */
function translateEditorVariables(entry: JsonObject, options: ClientReadOptions): Conversion {
  const { home, project, passesVariables = false } = options;
  const known: Readonly<Record<string, string | undefined>> = {
    userHome: home,
    workspaceFolder: project,
    workspaceFolderBasename: project?.split(/[/\\]/).at(-1),
    pathSeparator: '/',
    '/': '/',
  };
  return translateVariables(entry, /\$\{([^}]*)\}/g, ([whole, inside = ''], note) => {
    const [, kind, name = ''] = /^(\w+):(.*)$/.exec(inside) ?? [];
    if (kind === 'env') return variableReference(name);
    if (kind === 'input') {
      const ours = name.toUpperCase().replace(/\W/g, '_');
      note(`The input "${name}" was replaced by the variable ${ours}: set it before the server starts.`);
      return variableReference(ours);
    }
    const value = Object.hasOwn(known, inside) ? known[inside] : undefined;
    if (inside.startsWith('workspaceFolder') && value !== undefined)
      note(`"\${${inside}}" was replaced by ${quoteText(value)}, so the entry works only for this folder.`);
    if (passesVariables && !Object.hasOwn(known, inside) && variableReference(inside) !== undefined)
      return literal(whole);
    return value === undefined ? undefined : literal(value);
  });
}

/** Syntax of variables in the files of a client. */
export interface VariableSyntax {
  readonly title: string;
  readonly format: (name: string, fallback: string | undefined) => string;
  /** Default: false. */
  readonly supportsDefault?: boolean;
  /** True if the client reads a literal `${` as the beginning of a variable. Default: false. */
  readonly readsBraces?: boolean;
  /** The variable for the root of the project. Undefined if the client has none. */
  readonly folder?: string;
}

/** Converts our variables to those of a client, with notes on what it cannot express. */
export function writeVariables(
  entry: JsonObject,
  { title, format, supportsDefault = false, readsBraces = false, folder }: VariableSyntax,
): { readonly entry: JsonObject; readonly notes: readonly string[] } {
  const notes = new Set<string>();
  const written = mapTexts(entry, (text) =>
    parseTemplate(text, false)
      .map((part) => {
        if (part.kind === 'variable' && isProjectFolder(part.name)) {
          if (folder === undefined)
            notes.add(
              `${title} has no variable for the project: ${part.text} became PWD, which only a POSIX shell sets.`,
            );
          return folder ?? format('PWD', part.fallback);
        }
        if (part.kind !== 'variable') {
          if (readsBraces && part.text.includes('${')) notes.add(`${title} cannot escape a literal "\${".`);
          return part.text;
        }
        if (part.fallback !== undefined && !supportsDefault) {
          notes.add(`${title} does not support defaults of variables, so ${part.name} must be set.`);
        }
        return format(part.name, part.fallback);
      })
      .join(''),
  );
  return { entry: written, notes: [...notes] };
}

/** Writes `${env:NAME}`, as VS Code and editors based on it do. */
function writeEditorVariables(entry: JsonObject, title: string): Conversion {
  return writeVariables(entry, {
    title,
    format: (name) => `\${env:${name}}`,
    folder: '${workspaceFolder}',
  });
}

/** Writes `${NAME}` and `${NAME:-default}`, as our entries do. */
export function writeShellVariables(entry: JsonObject, title: string): Conversion {
  const format = (name: string, fallback?: string): string => variableReference(name, fallback) ?? '';
  return writeVariables(entry, { title, format, supportsDefault: true, readsBraces: true });
}

/** Rejects an entry with variables, for a client that does not expand them. */
function rejectVariables(entry: JsonObject, title: string): Conversion {
  const names = new Set<string>();
  const format = (name: string): string => {
    names.add(name);
    return '';
  };
  const written = writeVariables(entry, { title, format, supportsDefault: true });
  if (names.size === 0) return written;
  return { reason: `${title} does not expand variables, and the entry uses ${[...names].join(', ')}.` };
}

/** Of VS Code and editors based on it. */
export const EDITOR_VARIABLES: VariableRules = {
  after: translateEditorVariables,
  write: writeEditorVariables,
};

/** Of clients that do not expand variables. */
export const NO_VARIABLES: VariableRules = { before: escapeVariables, write: rejectVariables };

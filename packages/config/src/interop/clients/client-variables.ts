import { isRecord } from '@mcp-fittings/client-core';
import { parseTemplate, variableReference } from '../../variables/syntax.js';
import { type JsonObject, type JsonValue, isJsonList } from '../../jsonc/json-value.js';
import type { ClientReadOptions } from './client-format.js';

/** A copy of an entry with every text in it replaced. */
function mapTexts(entry: JsonObject, change: (text: string) => string): JsonObject {
  const map = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return change(value);
    if (isJsonList(value)) return value.map(map);
    return isRecord(value) ? mapTexts(value, change) : value;
  };
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, map(value)]));
}

/** Text of a program that knows no variables: what looks like one of ours is meant literally. */
export function escapeVariables(entry: JsonObject): JsonObject {
  return mapTexts(entry, literal);
}

function literal(text: string): string {
  // A function, because `$$` in a replacement text is one dollar sign.
  return text.replaceAll('${', () => '$${');
}

export type Translated =
  { readonly entry: JsonObject; readonly notes: readonly string[] } | { readonly reason: string };

/**
 * An entry with the variables of another program in our spelling. `translate` gives our text for each match of the
 * pattern, or undefined where there is none; it may leave notes.
 */
export function translateVariables(
  entry: JsonObject,
  pattern: RegExp,
  translate: (match: RegExpExecArray, note: (text: string) => void) => string | undefined,
): Translated {
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
    : { reason: `It uses ${JSON.stringify(unknown)}, for which there is nothing here.` };
}

/** The variables that VS Code and its relatives put into configuration: `${env:NAME}`, `${workspaceFolder}`, … */
export function translateEditorVariables(entry: JsonObject, context: ClientReadOptions): Translated {
  const { home, project, passesVariables = false } = context;
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
      note(`The input "${name}" became the variable ${ours}: set it before the server starts.`);
      return variableReference(ours);
    }
    const value = Object.hasOwn(known, inside) ? known[inside] : undefined;
    if (inside.startsWith('workspaceFolder') && value !== undefined)
      note(`"\${${inside}}" became ${JSON.stringify(value)}: the entry is for this folder.`);
    if (passesVariables && !Object.hasOwn(known, inside) && variableReference(inside) !== undefined)
      return literal(whole);
    return value === undefined ? undefined : literal(value);
  });
}

/** How another program writes a variable. */
export interface Spelling {
  readonly title: string;
  readonly spell: (name: string, fallback: string | undefined) => string;
  readonly keepsFallback: boolean;
  /** It takes a literal `${` for the beginning of a variable. */
  readonly readsBraces: boolean;
}

/** Our entry with its variables in the spelling of another program, and notes on what that can't hold. */
export function writeVariables(
  entry: JsonObject,
  { title, spell, keepsFallback, readsBraces }: Spelling,
): { readonly entry: JsonObject; readonly notes: readonly string[] } {
  const notes = new Set<string>();
  const spelled = mapTexts(entry, (text) =>
    parseTemplate(text, false)
      .map((part) => {
        if (part.kind !== 'variable') {
          if (readsBraces && part.text.includes('${'))
            notes.add(`${title} has no way to write a literal "\${".`);
          return part.text;
        }
        if (part.fallback !== undefined && !keepsFallback) {
          notes.add(`${title} knows no default for a variable, so ${part.name} has to be set.`);
        }
        return spell(part.name, part.fallback);
      })
      .join(''),
  );
  return { entry: spelled, notes: [...notes] };
}

/** `${env:NAME}`, the way of VS Code and its relatives. */
export function writeEditorVariables(entry: JsonObject, title: string): Translated {
  return writeVariables(entry, {
    title,
    spell: (name) => `\${env:${name}}`,
    keepsFallback: false,
    readsBraces: false,
  });
}

/** `${NAME}` and `${NAME:-default}`, as here. */
export function writeShellVariables(entry: JsonObject, title: string): Translated {
  const spell = (name: string, fallback?: string): string => variableReference(name, fallback) ?? '';
  return writeVariables(entry, { title, spell, keepsFallback: true, readsBraces: true });
}

/** Our entry for a program that knows no variables. */
export function rejectVariables(entry: JsonObject, title: string): Translated {
  const names = new Set<string>();
  const spell = (name: string): string => {
    names.add(name);
    return '';
  };
  const spelled = writeVariables(entry, { title, spell, keepsFallback: true, readsBraces: false });
  if (names.size === 0) return spelled;
  return { reason: `${title} expands no variables, and the entry uses ${[...names].join(', ')}.` };
}

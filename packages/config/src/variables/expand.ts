import type { ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { fieldPath } from '../display-text.js';
import type { MissingVariable } from '../layout/layout.js';
import type { EntryIssue } from '../problems.js';
import { VARIABLE_WORDS } from '../words/foreign-words.js';
import { isProjectFolder, parseTemplate } from './syntax.js';

export interface ExpandOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly missing: MissingVariable;
  readonly bare: boolean;
  /** Root of the project. */
  readonly folder: string;
  /** Values of inputs by their ID. One that is missing is kept as it is written; `answerInputs` reports it. */
  readonly inputs: ReadonlyMap<string, string>;
}

export interface Expansion {
  readonly config: ServerConfig;
  readonly issues: readonly EntryIssue[];
  /** Values of variables and inputs, so that they can be redacted from messages. */
  readonly values: ReadonlySet<string>;
}

/**
 * Expands the variables in every string of an entry, once: a value that looks like a variable is not expanded again. An
 * empty variable counts as not set for `${NAME:-default}`, as in a shell, and expands to nothing for `${NAME}`.
 */
export function expandEntry(config: ServerConfig, options: ExpandOptions): Expansion {
  const { env, missing, bare, folder, inputs } = options;
  const issues: EntryIssue[] = [];
  const values = new Set<string>(inputs.values());

  const expandText = (text: string, path: string): string => {
    let result = '';
    for (const part of parseTemplate(text, bare)) {
      if (part.kind === 'text') result += part.text;
      else if (part.kind === 'input') result += inputs.get(part.id) ?? part.text;
      else if (part.kind === 'malformed') {
        issues.push({
          code: 'VARIABLE_MALFORMED',
          path,
          message: `The text after "\${" in "${path}" is not a variable name.`,
          hint: /^\$\{(?:env|config|command):/.test(part.text)
            ? 'It is written for another program. Write ${NAME}, and set that variable.'
            : 'Write ${NAME} or ${NAME:-default}; for a literal "${" write "$${".',
        });
      } else if (isProjectFolder(part.name)) result += folder;
      else {
        const value = Object.hasOwn(env, part.name) ? env[part.name] : undefined;
        const used = value === undefined || value === '' ? (part.fallback ?? value) : value;
        if (used !== undefined) {
          if (used === value) values.add(value);
          result += used;
        } else if (missing === 'error') {
          issues.push(missingIssue(part.name, path));
        } else if (missing === 'keep') {
          issues.push({ ...missingIssue(part.name, path), severity: 'warning' });
          result += part.text;
        }
      }
    }
    return result;
  };

  const expand = (value: unknown, keys: readonly (string | number)[]): unknown => {
    if (typeof value === 'string') return expandText(value, fieldPath(keys));
    if (Array.isArray(value)) return value.map((element, index) => expand(element, [...keys, index]));
    if (isRecord(value)) return expandMembers(value, keys);
    return value;
  };
  const expandMembers = (
    value: Readonly<Record<string, unknown>>,
    keys: readonly (string | number)[],
  ): Record<string, unknown> =>
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member, [...keys, key])]));

  return { config: expandMembers(config, []), issues, values };
}

function missingIssue(name: string, path: string): EntryIssue {
  const advice = Object.hasOwn(VARIABLE_WORDS, name) ? VARIABLE_WORDS[name] : undefined;
  if (advice !== undefined) {
    const message = `\${${name}} in "${path}" is a variable of an editor, which is not known here.`;
    return { code: 'VARIABLE_MISSING', path, message, hint: advice };
  }
  return {
    code: 'VARIABLE_MISSING',
    path,
    message: `The environment variable ${name}, used in "${path}", is not set.`,
    hint: `Set ${name}, or write \${${name}:-default} in the entry.`,
  };
}

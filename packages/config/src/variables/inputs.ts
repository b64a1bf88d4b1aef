import { FittingsError, type ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { printable } from '../display-text.js';
import { jsonCopy, membersOf, type Node, readJsonValue } from '../jsonc/json-value.js';
import type { EntryIssue } from '../problems.js';
import { parseTemplate, stringValues } from './syntax.js';

/** The question for the value of an input: a `${input:ID}` in an entry, whose ID is defined in `inputs` of the same file. */
export interface InputQuestion {
  /** Name of the server that gets the value. */
  readonly server: string;
  /** Key of its entry: see {@link LoadedConfig.identities}. Keep values under it, so that no other entry receives them. */
  readonly identity: string;
  /** Path of the file that defines the input, whose words the question has. */
  readonly file: string;
  /** ID of the input. Safe to print. */
  readonly id: string;
  /** Describes what to enter, in the words of the file; the ID if it has none. Safe to print. */
  readonly description: string;
  /** If true, the value is hidden while it is typed. */
  readonly password: boolean;
  /** The value that is offered first. Safe to print. Undefined without one. */
  readonly default?: string | undefined;
  /** The values to choose from, with labels that are safe to print. Undefined if any text is an answer. */
  readonly options?: readonly { readonly value: string; readonly label: string }[] | undefined;
  /** False if only a value that is known is wanted: the server is switched off. */
  readonly mayAsk: boolean;
}

/** An input as its file defines it. `unsupported`: it is not asked for, as with a command of an editor. */
export type InputDefinition =
  Omit<InputQuestion, 'server' | 'identity' | 'file' | 'mayAsk'> | { readonly unsupported: string };

/** A file with more inputs, or an input with more options, is a mistake or an attack; the rest is not read. */
const MAX_INPUTS = 100;

/**
 * Reads `inputs` as VS Code writes them: texts to type and values to pick. Of two with the same ID the first counts.
 *
 * @param levels The whole file, and the object that has the servers if it is deeper.
 * @see https://code.visualstudio.com/docs/agents/reference/mcp-configuration
 */
export function readInputs(levels: readonly Node[]): ReadonlyMap<string, InputDefinition> {
  const inputs = new Map<string, InputDefinition>();
  for (const { key, valueNode } of levels.flatMap((level) => membersOf(level))) {
    const { value } = readJsonValue(valueNode);
    if (key !== 'inputs' || !Array.isArray(value)) continue;
    for (const input of value.slice(0, MAX_INPUTS)) {
      const id: unknown = isRecord(input) ? input['id'] : undefined;
      if (isRecord(input) && typeof id === 'string' && !inputs.has(id))
        inputs.set(id, definitionOf(id, input));
    }
  }
  return inputs;
}

function definitionOf(id: string, input: Readonly<Record<string, unknown>>): InputDefinition {
  const { type, description, password, default: initial, options } = input;
  if (type !== 'promptString' && type !== 'pickString')
    return { unsupported: `has the type ${JSON.stringify(printable(String(type)))}` };
  const choices = type === 'promptString' ? undefined : choicesOf(options);
  if (choices?.length === 0) return { unsupported: 'has no options' };
  return {
    id: printable(id),
    description: typeof description === 'string' ? sanitizeText(description) : printable(id),
    password: password === true,
    ...(typeof initial === 'string' && isShowable(initial) && { default: initial }),
    ...(choices !== undefined && { options: choices }),
  };
}

function choicesOf(options: unknown): readonly { readonly value: string; readonly label: string }[] {
  return (Array.isArray(options) ? options.slice(0, MAX_INPUTS) : []).flatMap((option: unknown) => {
    const { value, label } = isRecord(option) ? option : { value: option, label: option };
    return typeof value === 'string'
      ? [{ value, label: printable(typeof label === 'string' ? label : value) }]
      : [];
  });
}

/** A longer answer is a mistake: variables and headers hold less. */
const MAX_VALUE_LENGTH = 32_768;

/** A terminal would act on another text, as on keys that the user presses. */
function isShowable(text: string): boolean {
  return sanitizeText(text, { maxLength: MAX_VALUE_LENGTH }) === text;
}

interface Asked {
  readonly config: ServerConfig;
  readonly bare: boolean;
  readonly inputs: ReadonlyMap<string, InputDefinition>;
  readonly about: Pick<InputQuestion, 'server' | 'identity' | 'file' | 'mayAsk'>;
  readonly askInput: ((question: InputQuestion) => Promise<string | undefined>) | undefined;
}

/** Gets the values of all inputs that an entry uses. An input without a value is an issue, unless the server is switched off. */
export async function answerInputs({ config, bare, inputs, about, askInput }: Asked): Promise<{
  readonly values: ReadonlyMap<string, string>;
  readonly issues: readonly EntryIssue[];
}> {
  const values = new Map<string, string>();
  const issues: EntryIssue[] = [];
  for (const [id, path] of usedInputs(config, bare)) {
    const fail = (why: string, hint: string): void => {
      const message = `The input "${printable(id)}", used in "${path}", ${why}.`;
      issues.push({
        code: 'VARIABLE_MISSING',
        path,
        message,
        hint,
        ...(!about.mayAsk && { severity: 'info' }),
      });
    };
    const login = `Enter it when the program asks for it, or at a terminal with: fittings login ${about.server}`;
    const definition = inputs.get(id);
    if (definition === undefined) {
      const example = JSON.stringify({ type: 'promptString', id, password: true });
      fail('is not defined', sanitizeText(`Add it to "inputs" of the file: ${example}`));
    } else if ('unsupported' in definition) {
      fail(definition.unsupported, 'An input is a "promptString", or a "pickString" with "options".');
    } else {
      try {
        const value = await askInput?.({ ...definition, ...about });
        if (value === undefined || value === '') fail('has no value', login);
        else if (value.length > MAX_VALUE_LENGTH) fail('has too long a value', login);
        else if (definition.options?.some((option) => option.value === value) === false)
          fail('has a value that is not one of its options', login);
        else values.set(id, value);
      } catch (error) {
        if (error instanceof FittingsError && error.code === 'ABORTED') throw error;
        const reason = error instanceof Error ? sanitizeText(error.message) : 'unknown error';
        const canStore = !(error instanceof FittingsError && error.code === 'STORE_UNAVAILABLE');
        fail(`has no value (${reason.replace(/\.$/, '')})`, canStore ? login : `${login} --store file`);
      }
    }
  }
  return { values, issues };
}

/** Returns the inputs that an entry uses, each with the path of its first field. */
export function usedInputs(config: ServerConfig, bare: boolean): ReadonlyMap<string, string> {
  const used = new Map<string, string>();
  for (const [path, text] of stringValues(jsonCopy(config))) {
    for (const part of parseTemplate(text, bare))
      if (part.kind === 'input' && !used.has(part.id)) used.set(part.id, path);
  }
  return used;
}

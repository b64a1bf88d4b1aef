import { openBrowser } from '@mcp-fittings/auth-oauth';
import { FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { escapeText } from '@mcp-fittings/toolbox/text';
import type { ElicitationAnswer, ElicitationRequest } from '@mcp-fittings/host';
import { typedValue } from '../arguments/typed-value.js';
import type { CommandDeps } from '../command-deps.js';
import { type Prompts, openPrompts } from './prompts.js';

/** Asks the user a server's question and names the server. Interrupting the prompt cancels it. */
export async function askForServer(
  deps: CommandDeps,
  server: string,
  request: ElicitationRequest,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const prompts = await openPrompts(deps, AbortSignal.any([deps.signal, signal]));
  const { noteStyle: style } = deps.output;
  const message = escapeText(request.message, { maxLength: 4_000, multiline: true });
  prompts.tell(`${style.bold(`The server "${printable(server)}" asks:`)} ${message}`);
  for (const warning of request.warnings) prompts.tell(style.yellow(`Warning: ${printable(warning)}`));
  try {
    return request.mode === 'url' ? await visit(request.url, prompts) : await fillIn(request.schema, prompts);
  } catch (error) {
    if (error instanceof FittingsError && error.code === 'ABORTED') return { action: 'cancel' };
    throw error;
  }
}

async function visit(url: string, prompts: Prompts): Promise<ElicitationAnswer> {
  // Shown whole, so that the user sees where it leads.
  prompts.tell(`  ${printable(url, 8_000)}`);
  const choice = await prompts.select('Do you want to open this page?', [
    { value: 'accept', label: 'Yes' },
    { value: 'decline', label: 'No' },
  ]);
  if (choice === 'decline') return { action: 'decline' };
  try {
    await openBrowser(new URL(url));
  } catch (error) {
    // There may be no browser here, and only an encrypted page is opened for the user.
    const why = error instanceof FittingsError ? ` (${printable(error.message)})` : '';
    prompts.tell(`The page was not opened${why}. Open it yourself: ${printable(url, 8_000)}`);
  }
  // If the server reports first that the page is done, this question is withdrawn.
  const outcome = await prompts.select('Are you done with the page?', [
    { value: 'accept', label: 'Yes, continue' },
    { value: 'cancel', label: 'Cancel' },
  ]);
  return { action: outcome };
}

async function fillIn(schema: unknown, prompts: Prompts): Promise<ElicitationAnswer> {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  const required = isRecord(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
  const choice = await prompts.select('Do you want to answer?', [
    { value: 'accept', label: 'Yes' },
    { value: 'decline', label: 'No' },
  ]);
  if (choice === 'decline') return { action: 'decline' };
  const content: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    const value = await askField(name, property, required.includes(name), prompts);
    if (value !== undefined) content[name] = value;
  }
  return { action: 'accept', content };
}

async function askField(
  name: string,
  property: unknown,
  required: boolean,
  prompts: Prompts,
): Promise<unknown> {
  const field = isRecord(property) ? property : {};
  const title = typeof field['title'] === 'string' ? field['title'] : name;
  const description = typeof field['description'] === 'string' ? ` (${field['description']})` : '';
  const message = printable(`${title}${description}${required ? '' : ', optional'}`);
  if (field['type'] === 'boolean') {
    if (required || typeof field['default'] === 'boolean')
      return prompts.confirm(message, field['default'] === true);
    const choice = await prompts.select(message, [
      { value: 'skip', label: 'No answer' },
      { value: 'true', label: 'Yes' },
      { value: 'false', label: 'No' },
    ]);
    return choice === 'skip' ? undefined : choice === 'true';
  }
  const values = choicesOf(field['type'] === 'array' ? field['items'] : field);
  if (values.length > 0) {
    return field['type'] === 'array' ? prompts.selectMany(message, values) : prompts.select(message, values);
  }
  const read = (text: string) => typedValue(text, { root: field, part: field });
  const text = await prompts.text({
    message,
    ...(field['default'] !== undefined && { initialValue: printable(String(field['default'])) }),
    check(value) {
      if (value === '') return required ? 'An answer is required.' : undefined;
      const result = read(value);
      return 'problem' in result ? `It ${result.problem}.` : undefined;
    },
  });
  if (text === '') return undefined;
  const result = read(text);
  return 'value' in result ? result.value : undefined;
}

/** Returns the choices of an `enum` with or without names, or of `oneOf`/`anyOf` with constants. */
function choicesOf(field: unknown): readonly { value: string; label: string }[] {
  if (!isRecord(field)) return [];
  const { enum: values, enumNames: names } = field;
  if (Array.isArray(values)) {
    return values.flatMap((value: unknown, index) => {
      if (typeof value !== 'string') return [];
      const label: unknown = Array.isArray(names) ? names[index] : undefined;
      return [{ value, label: printable(typeof label === 'string' ? label : value) }];
    });
  }
  const members = field['oneOf'] ?? field['anyOf'];
  return (Array.isArray(members) ? members : []).flatMap((member: unknown) => {
    if (!isRecord(member) || typeof member['const'] !== 'string') return [];
    const { const: value, title } = member;
    return [{ value, label: printable(typeof title === 'string' ? title : value) }];
  });
}

/** Escapes text to one line and removes nothing, because the user decides by it. */
const printable = (text: string, maxLength = 500): string => escapeText(text, { maxLength });

import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { CatalogPrompt } from '@mcp-fittings/host';
import { parametersOf, requiredUsageOf, signatureOf, valueText } from '../arguments/argument-text.js';
import { propertyNames } from '../arguments/schema-types.js';
import type { ListKind } from '../options.js';
import type { Output } from '../output/output.js';
import { firstLine, printable, printableBlock } from '../output/printable.js';
import { fitWidth, padEnd, textWidth, wrapWords } from '../output/text-width.js';
import type { OfferedLists } from '../session/stored-lists.js';
import { targetText } from './target.js';

export type OfferKind = Exclude<ListKind, 'servers'>;

/** Returns what `--json` prints. */
export function listValue({ resourceTemplates, ...lists }: OfferedLists, kind: OfferKind): object {
  return { [kind]: lists[kind], ...(kind === 'resources' && { resourceTemplates }) };
}

/** Columns below which a description is left out. */
const LEAST_DESCRIPTION = 24;

interface Item {
  readonly server: string;
  readonly name: string;
  readonly description: string | undefined;
  /** Written before the description. */
  readonly mark?: string;
  /** Lines that `--verbose` adds. */
  readonly more: readonly string[];
}

/** Formats what servers offer, one line each; `--verbose` adds descriptions and arguments. */
export function listLines(lists: OfferedLists, kind: OfferKind, output: Output): readonly string[] {
  const items = itemsFor(lists, kind);
  const servers = [...new Set(items.map((item) => item.server))];
  return servers.flatMap((name) => {
    const own = items.filter((item) => item.server === name);
    const room = Math.min(48, Math.floor((output.columns ?? Infinity) * 0.4));
    const width = Math.min(room, Math.max(...own.map((item) => textWidth(item.name))));
    return [
      `${output.style.bold(printable(name))} ${output.style.dim(String(own.length))}`,
      ...own.flatMap((item) => itemLines(item, width, output)),
      '',
    ];
  });
}

/** Returns an example of a call, with the first tool that has arguments; undefined without tools. */
export function exampleCall({ tools }: OfferedLists): string | undefined {
  const usages = tools.map(({ server, name, inputSchema }) => ({
    target: targetText({ server, name }),
    usage: requiredUsageOf(inputSchema),
  }));
  const example = usages.find(({ usage }) => usage !== '') ?? usages[0];
  return example && `fittings call ${example.target} ${example.usage}`.trimEnd();
}

function itemLines(
  { name, description, mark, more }: Item,
  width: number,
  output: Output,
): readonly string[] {
  const { style, verbose, columns } = output;
  if (!verbose) {
    const note = mark === undefined ? '' : `${style.yellow(mark)} `;
    const line = `  ${style.cyan(padEnd(name, width))}  ${note}${firstLine(description)}`.trimEnd();
    if (columns === undefined || textWidth(line) <= columns) return [line];
    // A few letters of a description say nothing.
    const isCramped = columns - textWidth(name) < LEAST_DESCRIPTION;
    return [fitWidth(isCramped ? `  ${style.cyan(name)}  ${note}`.trimEnd() : line, columns)];
  }
  const text = printableBlock(description ?? '', 4_000).trim();
  return [
    `  ${style.cyan(name)}${mark === undefined ? '' : `  ${style.yellow(mark)}`}`,
    ...(text === '' ? [] : text.split('\n').map((line) => `    ${line}`)),
    ...more.map((line) => `    ${style.dim(line)}`),
  ].flatMap((line) => wrapWords(output.redact(line), columns));
}

function itemsFor(lists: OfferedLists, kind: OfferKind): readonly Item[] {
  switch (kind) {
    case 'tools':
      return lists.tools.map((tool) => ({
        server: tool.server,
        name: signatureOf(tool.name, tool.inputSchema),
        description: tool.description,
        ...(tool.pin !== undefined && { mark: `[${PIN_MARKS[tool.pin]}: fittings pins]` }),
        more: parametersOf(tool.inputSchema).map(argumentLine),
      }));
    case 'prompts':
      return lists.prompts.map((prompt) => ({
        ...named(prompt),
        description: prompt.description,
        more: argumentLines(prompt),
      }));
    case 'resources':
      return [
        ...lists.resources.map((resource) => ({
          server: resource.server,
          name: printable(resource.uri),
          description: resource.description ?? resource.title ?? resource.name,
          more: [resource.mimeType === undefined ? '' : printable(resource.mimeType)].filter(
            (line) => line !== '',
          ),
        })),
        ...lists.resourceTemplates.map((template) => ({
          server: template.server,
          name: printable(template.uriTemplate),
          description: template.description ?? template.title ?? template.name,
          more: ['a template: replace the parts in braces'],
        })),
      ];
  }
}

/** Names things that the user has not accepted. */
export const PIN_MARKS = {
  changed: 'changed',
  added: 'new',
  renamed: 'renamed',
  instructions: 'changed',
} as const;

function named({ server, name }: { readonly server: string; readonly name: string }) {
  return { server, name: printable(name) };
}

/** Formats an argument as the user types it: `size=<s|m|l>  (optional; default: m)  The size.` */
function argumentLine({ name, schema, isRequired }: ReturnType<typeof parametersOf>[number]): string {
  const part = isRecord(schema.part) ? schema.part : {};
  const { default: value, description } = part;
  const notes = [
    ...(isRequired ? [] : ['optional']),
    ...(value === undefined ? [] : [`default: ${printable(JSON.stringify(value), 60)}`]),
  ];
  const members = propertyNames(schema).map((member) => printable(member, 40));
  return [
    `${printable(name)}=<${valueText(schema)}>`,
    ...(notes.length === 0 ? [] : [`(${notes.join('; ')})`]),
    ...(typeof description === 'string' ? [firstLine(description)] : []),
    ...(members.length === 0
      ? []
      : [`[${printable(members.map((member) => `${name}.${member}`).join(', '), 200)}]`]),
  ].join('  ');
}

function argumentLines({ arguments: args = [] }: CatalogPrompt): readonly string[] {
  return args.map(
    ({ name, required }) => `${printable(name)}=<string>${required === true ? '' : '  (optional)'}`,
  );
}

import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { CatalogPrompt, CatalogTool } from '@mcp-fittings/host';
import { valueText } from '../arguments/argument-text.js';
import { type SchemaPart, propertyNames, propertyOf } from '../arguments/schema-types.js';
import type { ListKind } from '../options.js';
import type { Output } from '../output/output.js';
import { firstLine, printable, printableBlock } from '../output/printable.js';
import { fitWidth, padEnd, textWidth } from '../output/text-width.js';
import type { OfferedLists } from '../stored-lists/stored-lists.js';

export type OfferKind = Exclude<ListKind, 'servers'>;

/** Returns what `--json` prints. */
export function listValue(lists: OfferedLists, kind: OfferKind): object {
  switch (kind) {
    case 'tools':
      return { tools: lists.tools };
    case 'prompts':
      return { prompts: lists.prompts };
    case 'resources':
      return { resources: lists.resources, resourceTemplates: lists.resourceTemplates };
  }
}

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
    const width = Math.min(48, Math.max(...own.map((item) => textWidth(item.name))));
    return [
      `${output.style.bold(printable(name))} ${output.style.dim(String(own.length))}`,
      ...own.flatMap((item) => itemLines(item, width, output)),
      '',
    ];
  });
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
    return [columns === undefined ? line : fitWidth(line, columns)];
  }
  const text = printableBlock(description ?? '', 4_000).trim();
  return [
    `  ${style.cyan(name)}${mark === undefined ? '' : `  ${style.yellow(mark)}`}`,
    ...(text === '' ? [] : text.split('\n').map((line) => `    ${line}`)),
    ...more.map((line) => `    ${style.dim(line)}`),
  ];
}

function itemsFor(lists: OfferedLists, kind: OfferKind): readonly Item[] {
  switch (kind) {
    case 'tools':
      return lists.tools.map((tool) => ({
        ...named(tool),
        description: tool.description,
        ...(tool.pin !== undefined && { mark: `[${PIN_MARKS[tool.pin]}: fittings pins]` }),
        more: inputLines(tool),
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

/** Formats arguments as the user types them: `--arg city=<string>`. */
function inputLines({ inputSchema }: CatalogTool): readonly string[] {
  const root: SchemaPart = { root: inputSchema, part: inputSchema };
  const required: unknown = inputSchema['required'];
  return propertyNames(root).map((name) => {
    const property = propertyOf(root, name) ?? { root: inputSchema, part: {} };
    const isRequired = Array.isArray(required) && required.includes(name);
    return argumentLine(name, property, isRequired);
  });
}

/** `--arg size=<s|m|l>  (optional; default: m)  The size.` */
function argumentLine(name: string, property: SchemaPart, isRequired: boolean): string {
  const part = isRecord(property.part) ? property.part : {};
  const { default: value, description } = part;
  const notes = [
    ...(isRequired ? [] : ['optional']),
    ...(value === undefined ? [] : [`default: ${printable(JSON.stringify(value), 60)}`]),
  ];
  const members = propertyNames(property).map((member) => printable(member, 40));
  return [
    `--arg ${printable(name)}=<${valueText(property)}>`,
    ...(notes.length === 0 ? [] : [`(${notes.join('; ')})`]),
    ...(typeof description === 'string' ? [firstLine(description)] : []),
    ...(members.length === 0
      ? []
      : [`[${printable(members.map((member) => `${name}.${member}`).join(', '), 200)}]`]),
  ].join('  ');
}

function argumentLines({ arguments: args = [] }: CatalogPrompt): readonly string[] {
  return args.map(
    ({ name, required }) => `--arg ${printable(name)}=<string>${required === true ? '' : '  (optional)'}`,
  );
}

import { valueText } from '../../arguments/argument-text.js';
import { isRecord } from '@mcp-fittings/client-core';
import type { CatalogPrompt, CatalogTool, Host } from '@mcp-fittings/host';
import { propertyNames, propertyOf, type SchemaPart } from '../../arguments/schema-types.js';
import type { Output } from '../../output/output.js';
import { firstLine, shown, shownBlock } from '../../output/shown.js';
import { fitWidth, padEnd, textWidth } from '../../output/text-width.js';
import type { ListKind } from './command.js';

interface Item {
  readonly server: string;
  readonly name: string;
  readonly description: string | undefined;
  /** Only with `--verbose`. */
  readonly more: readonly string[];
}

/** What one server offers, or all of them, for a person: one line each; `--verbose` adds descriptions and arguments. */
export function listLines(
  host: Host,
  kind: Exclude<ListKind, 'servers'>,
  server: string | undefined,
  output: Output,
): readonly string[] {
  const items = itemsFor(host, kind).filter((item) => server === undefined || item.server === server);
  const servers = [...new Set(items.map((item) => item.server))];
  return servers.flatMap((name) => {
    const own = items.filter((item) => item.server === name);
    const width = Math.min(48, Math.max(...own.map((item) => textWidth(item.name))));
    return [
      `${output.style.bold(shown(name))} ${output.style.dim(String(own.length))}`,
      ...own.flatMap((item) => itemLines(item, width, output)),
      '',
    ];
  });
}

function itemLines({ name, description, more }: Item, width: number, output: Output): readonly string[] {
  const { style, verbose, columns } = output;
  if (!verbose) {
    const line = `  ${style.cyan(padEnd(name, width))}  ${firstLine(description)}`.trimEnd();
    return [columns === undefined ? line : fitWidth(line, columns)];
  }
  const text = shownBlock(description ?? '', 4_000).trim();
  return [
    `  ${style.cyan(name)}`,
    ...(text === '' ? [] : text.split('\n').map((line) => `    ${line}`)),
    ...more.map((line) => `    ${style.dim(line)}`),
  ];
}

function itemsFor(host: Host, kind: Exclude<ListKind, 'servers'>): readonly Item[] {
  switch (kind) {
    case 'tools':
      return host
        .tools()
        .map((tool) => ({ ...named(tool), description: tool.description, more: inputLines(tool) }));
    case 'prompts':
      return host.prompts().map((prompt) => ({
        ...named(prompt),
        description: prompt.description,
        more: argumentLines(prompt),
      }));
    case 'resources':
      return [
        ...host.resources().map((resource) => ({
          server: resource.server,
          name: shown(resource.uri),
          description: resource.description ?? resource.title ?? resource.name,
          more: [resource.mimeType === undefined ? '' : shown(resource.mimeType)].filter(
            (line) => line !== '',
          ),
        })),
        ...host.resourceTemplates().map((template) => ({
          server: template.server,
          name: shown(template.uriTemplate),
          description: template.description ?? template.title ?? template.name,
          more: ['a template: replace the parts in braces'],
        })),
      ];
  }
}

function named({ server, name }: { readonly server: string; readonly name: string }) {
  return { server, name: shown(name) };
}

/** Arguments as they can be given: `--arg city=<string>`. */
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
    ...(value === undefined ? [] : [`default: ${shown(JSON.stringify(value), 60)}`]),
  ];
  const members = propertyNames(property).map((member) => shown(member, 40));
  return [
    `--arg ${shown(name)}=<${valueText(property)}>`,
    ...(notes.length === 0 ? [] : [`(${notes.join('; ')})`]),
    ...(typeof description === 'string' ? [firstLine(description)] : []),
    ...(members.length === 0
      ? []
      : [`[${shown(members.map((member) => `${name}.${member}`).join(', '), 200)}]`]),
  ].join('  ');
}

function argumentLines({ arguments: args = [] }: CatalogPrompt): readonly string[] {
  return args.map(
    ({ name, required }) => `--arg ${shown(name)}=<string>${required === true ? '' : '  (optional)'}`,
  );
}

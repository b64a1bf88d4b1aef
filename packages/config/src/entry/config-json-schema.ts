import type { TransportPlugin } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { z } from 'zod';
import { MAX_SERVER_NAME_LENGTH, NAME_PATTERN } from '../server-names.js';
import { entrySchema } from './entry-schema.js';
import { typeSpellings } from './normalize.js';
import { pluginSchema } from './plugin-schema.js';

/**
 * Returns a JSON Schema of a configuration file with `mcpServers`, for completion and validation in editors. Fields of a
 * transport come from the schema of its plugin. Other top-level keys are permitted.
 *
 * @see {@link https://json-schema.org/draft-07 | JSON Schema draft 7}
 * @example
 * ```ts
 * await writeFile('mcp.schema.json', JSON.stringify(configJsonSchema({ plugins: [stdio(), http()] })));
 * ```
 */
export function configJsonSchema(
  options: {
    /** Installed transports, whose fields an editor completes and checks. Default: none, so only common fields are known. */
    readonly plugins?: readonly TransportPlugin[] | undefined;
    /** URL at which the schema is published, its `$id`. Default: none. */
    readonly id?: string | undefined;
  } = {},
): Record<string, unknown> {
  const { plugins = [], id } = options;
  const { $schema, ...common } = z.toJSONSchema(entrySchema, { target: 'draft-7' });
  const rules = plugins.flatMap((plugin) => rulesFor(plugin));
  const types = plugins.flatMap((plugin) => pluginTypes(plugin));
  const properties = isRecord(common.properties) ? common.properties : {};
  const type = isRecord(properties['type']) ? properties['type'] : {};
  return {
    $schema,
    ...(id !== undefined && { $id: id }),
    title: 'MCP servers',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      mcpServers: {
        description: 'MCP servers by name.',
        type: 'object',
        propertyNames: { pattern: NAME_PATTERN, maxLength: MAX_SERVER_NAME_LENGTH },
        additionalProperties: { $ref: '#/definitions/server' },
      },
      inputs: {
        description: 'Values that the user is asked for: "${input:ID}" in a server.',
        type: 'array',
        items: {
          type: 'object',
          properties: {
            type: { enum: ['promptString', 'pickString'] },
            id: { type: 'string' },
            description: { type: 'string' },
            password: { type: 'boolean' },
            default: { type: 'string' },
            options: { type: 'array' },
          },
          required: ['type', 'id'],
        },
      },
    },
    definitions: {
      server: {
        ...common,
        properties: { ...properties, type: types.length === 0 ? type : { ...type, enum: types } },
        anyOf: ['type', 'transportType', 'command', 'url', 'httpUrl', 'serverUrl'].map((field) => ({
          required: [field],
        })),
        ...(rules.length > 0 && { allOf: rules }),
      },
    },
  };
}

/** The plugin's schema for entries of its type, whether the type is explicit or implied. */
function rulesFor(plugin: TransportPlugin): readonly Record<string, unknown>[] {
  const then = pluginSchema(plugin);
  if (then === undefined) return [];
  const said = { properties: { type: { enum: pluginTypes(plugin) } }, required: ['type'] };
  const implying = plugin.type === 'stdio' ? 'command' : plugin.type === 'http' ? 'url' : undefined;
  const unsaid = { not: { anyOf: [{ required: ['type'] }, { required: ['transportType'] }] } };
  const conditions = [said, ...(implying === undefined ? [] : [{ ...unsaid, required: [implying] }])];
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return conditions.map((condition) => ({ if: condition, then }));
}

function pluginTypes(plugin: TransportPlugin): readonly string[] {
  return [...typeSpellings(plugin.type), ...(plugin.aliases ?? [])];
}

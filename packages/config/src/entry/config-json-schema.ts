import { isRecord, type TransportPlugin } from '@mcp-fittings/client-core';
import { z } from 'zod';
import { entrySchema } from './entry-schema.js';
import { typeSpellings } from './normalize.js';
import { MAX_SERVER_NAME_LENGTH, NAME_PATTERN } from '../server-names.js';

export interface ConfigJsonSchemaOptions {
  /** Installed transports: their fields are completed and checked where an entry is of their type. */
  readonly plugins?: readonly TransportPlugin[] | undefined;
  /** Where the schema is published. */
  readonly id?: string | undefined;
}

type Schema = Record<string, unknown>;

/** The draft that every editor understands. */
const TARGET = 'draft-07';

/**
 * A JSON Schema (draft 7) of the file, for editors: common fields from our own schema, those of each transport from
 * its plugin. Other keys may stand beside `mcpServers`.
 */
export function configJsonSchema(options: ConfigJsonSchemaOptions = {}): Schema {
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

/** What holds where an entry is of the plugin's type, said or implied. */
function rulesFor(plugin: TransportPlugin): readonly Schema[] {
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

/** The plugin's schema, made to tolerate the fields of others beside its own; undefined where it can't tell. */
function pluginSchema(plugin: TransportPlugin): Schema | undefined {
  try {
    const {
      $schema: _,
      additionalProperties: __,
      ...schema
    } = plugin.schema['~standard'].jsonSchema?.input({ target: TARGET }) ?? {};
    return Object.keys(schema).length === 0 ? undefined : schema;
  } catch {
    return undefined;
  }
}

import type { ServerConfig, StandardSchemaIssue, TransportPlugin } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { createRedactor, nearestNames } from '@mcp-fittings/toolbox/text';
import { fieldPath, printable } from '../display-text.js';
import type { EntryIssue } from '../problems.js';

/** The transport that handles a type. */
export function pluginFor(
  plugins: readonly TransportPlugin[],
  type: string | undefined,
): TransportPlugin | undefined {
  return plugins.find((plugin) => plugin.type === type || plugin.aliases?.includes(type ?? '') === true);
}

/**
 * The JSON Schema of a transport, without `additionalProperties`, so that common fields are permitted; undefined if it has none. Every
 * editor supports this version.
 */
export function pluginSchema({ schema: standard }: TransportPlugin): Record<string, unknown> | undefined {
  try {
    const {
      $schema: _,
      additionalProperties: __,
      ...schema
    } = standard['~standard'].jsonSchema?.input({ target: 'draft-07' }) ?? {};
    return Object.keys(schema).length === 0 ? undefined : schema;
  } catch {
    return undefined;
  }
}

/** The fields that the schema of a transport declares; undefined if it has no JSON Schema. */
export function declaredFields(plugin: TransportPlugin): readonly string[] | undefined {
  const properties = pluginSchema(plugin)?.['properties'];
  return isRecord(properties) ? Object.keys(properties) : undefined;
}

/** Validates an entry with the schema of its transport. Values of variables are redacted from the messages. */
export async function validateWithPlugin(
  config: ServerConfig,
  plugins: readonly TransportPlugin[],
  secrets: Iterable<string>,
): Promise<readonly EntryIssue[]> {
  const plugin = pluginFor(plugins, config.type);
  if (plugin === undefined) {
    const types = plugins.map(({ type }) => type);
    const [near] = nearestNames(config.type ?? '', types);
    const known = types.join(', ');
    return [
      {
        code: 'TYPE_UNKNOWN',
        path: 'type',
        message: `No installed transport supports the type "${printable(config.type ?? '')}".`,
        hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Installed: ${known === '' ? 'none' : known}.`,
      },
    ];
  }
  const redact = createRedactor(secrets);
  try {
    const result = await plugin.schema['~standard'].validate(config);
    return (result.issues ?? []).map((issue) => {
      const path = issuePath(issue);
      const subject = path === '' ? 'The entry' : `"${path}"`;
      return {
        code: 'FIELD_INVALID',
        path,
        message: `${subject} is invalid: ${printable(redact(issue.message.replace('Invalid input: ', '')))}.`,
      };
    });
  } catch {
    return [
      {
        code: 'FIELD_INVALID',
        path: '',
        message: `The schema of the transport "${printable(plugin.type)}" threw an error while validating this entry.`,
      },
    ];
  }
}

function issuePath(issue: StandardSchemaIssue): string {
  return fieldPath((issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part)));
}

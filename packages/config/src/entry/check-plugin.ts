import type { ServerConfig, StandardSchemaIssue, TransportPlugin } from '@mcp-fittings/client-core';
import { createRedactor, nearestNames } from '@mcp-fittings/client-core/text';
import { fieldPath } from '../text/field-path.js';
import { shown } from '../text/visible-text.js';
import type { EntryFault } from './normalise.js';

/** The plugin that serves a type. */
function pluginFor(
  plugins: readonly TransportPlugin[],
  type: string | undefined,
): TransportPlugin | undefined {
  return plugins.find((plugin) => plugin.type === type || plugin.aliases?.includes(type ?? '') === true);
}

/** What the schema of the entry's transport finds wrong. Values of variables are taken out of its messages. */
export async function checkAgainstPlugin(
  config: ServerConfig,
  plugins: readonly TransportPlugin[],
  secrets: Iterable<string>,
): Promise<readonly EntryFault[]> {
  const plugin = pluginFor(plugins, config.type);
  if (plugin === undefined) {
    const types = plugins.map(({ type }) => type);
    const [near] = nearestNames(config.type ?? '', types);
    const known = types.join(', ');
    return [
      {
        code: 'TYPE_UNKNOWN',
        path: 'type',
        message: `No installed transport serves the type "${shown(config.type ?? '')}".`,
        hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Installed: ${known === '' ? 'none' : known}.`,
      },
    ];
  }
  const redact = createRedactor(secrets);
  try {
    const result = await plugin.schema['~standard'].validate(config);
    return (result.issues ?? []).map((issue) => {
      const path = pathOf(issue);
      const subject = path === '' ? 'The entry' : `"${path}"`;
      return {
        code: 'FIELD_INVALID',
        path,
        message: `${subject} is not right: ${shown(redact(issue.message))}.`,
      };
    });
  } catch {
    return [
      {
        code: 'FIELD_INVALID',
        path: '',
        message: `The schema of the transport "${shown(plugin.type)}" failed on this entry.`,
      },
    ];
  }
}

function pathOf(issue: StandardSchemaIssue): string {
  return fieldPath((issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part)));
}

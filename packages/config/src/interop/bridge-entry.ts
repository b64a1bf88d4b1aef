import { isRecord } from '@mcp-fittings/toolbox/messages';
import { moveSecretsToVariables } from '../entry/literal-secrets.js';
import { jsonCopy, type JsonObject } from '../jsonc/json-value.js';
import { parseTemplate } from '../variables/syntax.js';
import type { ClientFormat } from './clients/client-format.js';

/** Fields that stay in the entry or become options of the command line. */
const CARRIED = new Set([
  'type',
  'url',
  'headers',
  'oauth',
  'disabled',
  'deniedTools',
  'enabledTools',
  'timeout',
  'description',
]);
const OAUTH_CARRIED = new Set(['clientId', 'scopes', 'account', 'callbackPort', 'enabled']);

/**
 * Converts a remote server to a local one that runs `fittings bridge`, for a client that does not support its transport.
 * Secrets become variables. If the client does not expand variables, the bridge receives their text and expands them.
 */
export function bridgeEntry(
  name: string,
  remote: JsonObject,
  {
    expandsVariables = true,
    inheritsNamed = false,
  }: Pick<ClientFormat, 'expandsVariables' | 'inheritsNamed'>,
): { readonly entry: JsonObject; readonly notes: readonly string[] } {
  const { entry, variables } = moveSecretsToVariables(name, remote);
  const notes = [
    'It is written as a bridge: npx runs @mcp-fittings/cli, which connects to the server.',
    ...variables
      .filter(({ field }) => /^(?:headers|url)\b/.test(field))
      .map(
        ({ field, variable }) =>
          `The secret in "${field}" was not written. Set the variable ${variable} for the bridge.`,
      ),
  ];
  const named: Record<string, string> = {};
  const { type, url, headers, oauth, ...rest } = entry;
  const format = (text: string): string => (expandsVariables ? text : literalVariables(text, named));
  const args = ['-y', '@mcp-fittings/cli', 'bridge', format(typeof url === 'string' ? url : '')];
  if (typeof type === 'string' && type !== 'http') args.push('--type', type);
  for (const [header, value] of Object.entries(isRecord(headers) ? headers : {}))
    if (typeof value === 'string') args.push('--header', format(`${header}: ${value}`));
  if (isRecord(oauth)) {
    const { clientId, scopes, account, callbackPort, enabled } = oauth;
    if (typeof clientId === 'string') args.push('--client-id', format(clientId));
    for (const scope of Array.isArray(scopes) ? scopes : []) args.push('--oauth-scope', String(scope));
    if (typeof account === 'string') args.push('--account', format(account));
    if (typeof callbackPort === 'number') args.push('--port', String(callbackPort));
    if (enabled === false) args.push('--no-sign-in');
  }
  const lost = [
    ...Object.keys(rest).filter((field) => !CARRIED.has(field)),
    ...Object.keys(isRecord(oauth) ? oauth : {})
      .filter((field) => !OAUTH_CARRIED.has(field))
      .map((field) => `oauth.${field}`),
  ];
  for (const field of lost)
    notes.push(
      `"${field}" was removed, because a bridge with a URL has no option for it. "fittings bridge ${name}" uses the whole entry.`,
    );
  const kept = jsonCopy(Object.fromEntries(Object.entries(rest).filter(([field]) => CARRIED.has(field))));
  const env = inheritsNamed && Object.keys(named).length > 0 ? { env: named } : {};
  if (!expandsVariables && !inheritsNamed && Object.keys(named).length > 0) {
    const names = Object.keys(named).join(', ');
    notes.push(`The bridge reads ${names} from its environment: set it there, or in "env" of the new entry.`);
  }
  return { entry: { type: 'stdio', command: 'npx', args, ...env, ...kept }, notes };
}

/** Writes variables as literal text, which the client passes on to the bridge, and collects their names. */
function literalVariables(text: string, named: Record<string, string>): string {
  return parseTemplate(text, false)
    .map((part) => {
      if (part.kind !== 'variable') return part.text.replaceAll('${', () => '$${');
      named[part.name] = part.fallback === undefined ? part.text : `\${${part.name}}`;
      return `$${part.text}`;
    })
    .join('');
}

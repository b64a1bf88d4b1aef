import { type JsonObject, type JsonValue, isJsonList, isJsonObject } from '../../jsonc/json-value.js';
import { parseTemplate, variableReference } from '../../variables/syntax.js';
import { byFields, mergeMembers, type Draft } from './client-format.js';
import { NO_VARIABLES } from './client-variables.js';

/**
 * Tables `[mcp_servers.name]` in TOML. Variables have fields of their own and are not expanded in strings.
 * @see https://developers.openai.com/codex/mcp
 */
export const codex = byFields('codex', {
  title: 'Codex CLI',
  transports: ['stdio', 'http'],
  expandsVariables: false,
  inheritsNamed: true,
  format: 'toml',
  servers: [['mcp_servers']],
  files: { project: ['.codex/config.toml'], home: ['.codex/config.toml'] },
  variables: NO_VARIABLES,
  same: [
    'command',
    'args',
    'env',
    'cwd',
    'url',
    'env_vars',
    'http_headers',
    'env_http_headers',
    'bearer_token_env_var',
  ],
  reads: {
    env: (value, draft) => mergeMembers(draft, 'env', value),
    http_headers: (value, draft) => mergeMembers(draft, 'headers', value),
    env_http_headers: (value, draft) =>
      mergeMembers(
        draft,
        'headers',
        mapValues(value, (name) => variableReference(name)),
      ),
    bearer_token_env_var: (value, draft) => {
      const token = typeof value === 'string' ? variableReference(value) : undefined;
      return token === undefined
        ? '"bearer_token_env_var" is not the name of a variable and was removed.'
        : mergeMembers(draft, 'headers', { Authorization: `Bearer ${token}` });
    },
    env_vars: (value, draft) => {
      // A name, or an object with the name and the machine that the value comes from.
      const given = isJsonList(value) ? value : [];
      const names = given.map((each) => (isJsonObject(each) ? each['name'] : each));
      const references = names.flatMap((name) => {
        const reference = typeof name === 'string' ? variableReference(name) : undefined;
        return typeof name === 'string' && reference !== undefined ? [[name, reference]] : [];
      });
      mergeMembers(draft, 'env', Object.fromEntries(references));
      const lost = names.length - references.length;
      const remote = given.some((each) => isJsonObject(each) && (each['source'] ?? 'local') !== 'local');
      if (lost > 0) return `${String(lost)} of "env_vars" are not names of variables and were removed.`;
      return remote ? '"source" of "env_vars" was removed: the values come from this machine.' : undefined;
    },
  },
  beforeWrite: ({ env, headers, ...rest }) => ({ ...splitVariables(env, headers), ...rest }),
  writes: {
    timeout(value, draft) {
      if (typeof value === 'number') draft['tool_timeout_sec'] = value / 1000;
    },
    connectTimeout(value, draft) {
      if (typeof value === 'number') draft['startup_timeout_sec'] = value / 1000;
    },
  },
});

/** Moves values that consist of one variable to the fields that take names of variables. */
function splitVariables(env: JsonValue | undefined, headers: JsonValue | undefined): JsonObject {
  const passed: string[] = [];
  const result: Draft = {};
  for (const [key, value] of membersOf(env)) {
    if (value === variableReference(key)) passed.push(key);
    else mergeMembers(result, 'env', { [key]: value });
  }
  for (const [key, value] of membersOf(headers)) {
    const name = typeof value === 'string' ? soleVariable(value) : undefined;
    const bearer =
      typeof value === 'string' && value.startsWith('Bearer ') ? soleVariable(value.slice(7)) : undefined;
    if (key.toLowerCase() === 'authorization' && bearer !== undefined)
      result['bearer_token_env_var'] = bearer;
    else if (name !== undefined) mergeMembers(result, 'env_http_headers', { [key]: name });
    else mergeMembers(result, 'http_headers', { [key]: value });
  }
  return { ...(passed.length > 0 && { env_vars: passed }), ...result };
}

function soleVariable(text: string): string | undefined {
  const [part, ...others] = parseTemplate(text, false);
  return part?.kind === 'variable' && part.fallback === undefined && others.length === 0
    ? part.name
    : undefined;
}

function mapValues(value: JsonValue, change: (text: string) => string | undefined): JsonValue {
  return Object.fromEntries(
    membersOf(value).map(([key, member]) => [
      key,
      typeof member === 'string' ? (change(member) ?? member) : member,
    ]),
  );
}

function membersOf(value: JsonValue | undefined): readonly [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

import type { ServerConfig } from '@mcp-fittings/client-core';
import { isSecretName } from '@mcp-fittings/toolbox/entries';
import { fieldPath } from '../display-text.js';
import { isJsonObject, jsonCopy, type JsonObject, type JsonValue } from '../jsonc/json-value.js';
import { parseTemplate, variableReference } from '../variables/syntax.js';

/** Formats of the keys of well-known services, recognized under any name. */
const SECRET_TEXT =
  /^(?:gh[oprsu]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|sk-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|ey[\w-]{10,}\.ey[\w-]{10,}\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*)$/;

export { isSecretName };

/**
 * Returns a copy of an entry in which `${NAME}` replaces each secret that is written as text, and the variables to set.
 * Secrets are found in headers, environment variables, arguments, URLs and OAuth credentials, by name and by well-known
 * formats; a secret without either is not found. Names are made from the name of the server and of the field, such as
 * `GITHUB_AUTHORIZATION`; a variable in `env` keeps its name.
 *
 * @example
 * ```ts
 * const { entry, variables } = moveSecretsToVariables('github', { command: 'gh-mcp', env: { TOKEN: 'abc' } });
 * // entry.env is { TOKEN: '${TOKEN}' }; variables[0] is { field: 'env.TOKEN', variable: 'TOKEN', value: 'abc' }
 * ```
 */
export function moveSecretsToVariables(
  server: string,
  entry: ServerConfig,
): {
  /** The copy, whose secrets are variables. */
  readonly entry: ServerConfig;
  /** The secrets that were found. */
  readonly variables: readonly {
    /** Path of the field, such as `headers.Authorization` or `args[2]`. */
    readonly field: string;
    /** Name of the variable that replaces it, such as `GITHUB_TOKEN`. Not necessarily set. */
    readonly variable: string;
    /** The secret itself, so that it can be redacted from output. */
    readonly value: string;
  }[];
} {
  const variables: ReturnType<typeof moveSecretsToVariables>['variables'][number][] = [];
  const prefix = server
    .toUpperCase()
    .replaceAll(/\W+/g, '_')
    .replace(/^(?=\d)/, '_');
  const taken = new Map<string, string>();
  const replace = (keys: readonly (string | number)[], name: string, text: string): string => {
    const upper = name
      .toUpperCase()
      .replaceAll(/\W+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    let variable = keys[0] === 'env' && /^[A-Za-z_]\w*$/.test(name) ? name : `${prefix}_${upper}`;
    // Two different secrets must not share a variable.
    for (let count = 2; taken.has(variable) && taken.get(variable) !== text; count++)
      variable = `${variable.replace(/_\d+$/, '')}_${String(count)}`;
    taken.set(variable, text);
    variables.push({ field: fieldPath(keys), variable, value: text });
    return variableReference(variable) ?? '';
  };
  const whole = (keys: readonly (string | number)[], name: string, value: JsonValue): JsonValue =>
    typeof value === 'string' && isLiteral(value) && (isSecretName(name) || SECRET_TEXT.test(value))
      ? replace(keys, name, value)
      : typeof value === 'string'
        ? withinUrl(value, (part, secret) => replace(keys, `${name}_${part}`, secret))
        : value;

  const copy: Record<string, JsonValue> = { ...jsonCopy(entry) };
  for (const [field, value] of Object.entries(copy)) {
    if (field === 'headers' && isJsonObject(value)) {
      copy[field] = mapMembers(value, (name, text) =>
        typeof text === 'string' ? header(name, text, replace) : text,
      );
    } else if (field === 'env' && isJsonObject(value)) {
      copy[field] = mapMembers(value, (name, text) => whole(['env', name], name, text));
    } else if (field === 'args' && Array.isArray(value)) {
      copy[field] = argumentsOf(value, whole, replace);
    } else if (field === 'apiKey' && typeof value === 'string' && isLiteral(value)) {
      copy[field] = replace([field], 'API_KEY', value);
    } else if ((field === 'url' || field === 'proxy') && typeof value === 'string') {
      copy[field] = withinUrl(value, (part, secret) => replace([field], part, secret));
    } else if (field === 'oauth' && isJsonObject(value)) copy[field] = oauthOf(value, replace);
    else if (field === 'clientCertificate' && isJsonObject(value)) {
      copy[field] = mapMembers(value, (name, text) =>
        name === 'passphrase' && typeof text === 'string' && isLiteral(text)
          ? replace([field, name], name, text)
          : text,
      );
    }
  }
  return { entry: copy, variables };
}

type Replace = (keys: readonly (string | number)[], name: string, text: string) => string;

/** Keeps a scheme such as `Bearer`, so that the variable holds only the token. */
function header(name: string, value: string, replace: Replace): string {
  if (!isLiteral(value)) return value;
  const [, scheme = '', credential = value] = /^((?:Bearer|Basic|Token|ApiKey) +)(\S.*)$/i.exec(value) ?? [];
  const isSecret = isSecretName(name) || scheme !== '' || SECRET_TEXT.test(credential);
  return isSecret ? `${scheme}${replace(['headers', name], name, credential)}` : value;
}

/** Handles `--token value`, `--token=value`, `--header 'Name: value'`, and arguments with the format of a key. */
function argumentsOf(
  args: readonly JsonValue[],
  whole: (keys: readonly (string | number)[], name: string, value: JsonValue) => JsonValue,
  replace: Replace,
): readonly JsonValue[] {
  return args.map((argument, index) => {
    if (typeof argument !== 'string' || !isLiteral(argument)) return argument;
    const keys = ['args', index];
    const before = args[index - 1];
    const option =
      typeof before === 'string' && /^-{1,2}\w/.test(before) && !before.includes('=') ? before : '';
    const [, name, value] = /^(-{0,2}[\w.-]+)=(.+)$/s.exec(argument) ?? [];
    if (name !== undefined && value !== undefined) {
      const replaced = whole(keys, name.replace(/^-+/, ''), value);
      return typeof replaced === 'string' ? `${name}=${replaced}` : argument;
    }
    const [, headerName, headerValue] = /^([\w-]+): *(\S.*)$/s.exec(argument) ?? [];
    if (headerName !== undefined && headerValue !== undefined && !argument.includes('://')) {
      const kept = header(headerName, headerValue, (_keys, part, text) => replace(keys, part, text));
      return `${headerName}: ${kept}`;
    }
    if (argument.startsWith('-')) return argument;
    return whole(keys, option.replace(/^-+/, ''), argument);
  });
}

function oauthOf(oauth: JsonObject, replace: Replace, at: readonly string[] = ['oauth']): JsonObject {
  return mapMembers(oauth, (name, value) => {
    if (name === 'identityProvider' && isJsonObject(value)) return oauthOf(value, replace, [...at, name]);
    return name === 'clientSecret' && typeof value === 'string' && isLiteral(value)
      ? replace([...at, name], 'CLIENT_SECRET', value)
      : value;
  });
}

/** Replaces the password of a URL and its parameters with names of secrets. Other texts are returned unchanged. */
function withinUrl(text: string, replace: (part: string, secret: string) => string): string {
  const literal = /^[a-z][\w+.-]*:\/\//i.test(text);
  if (!literal) return text;
  const password = text.replace(
    /^([a-z][\w+.-]*:\/\/[^/?#@:]*):([^@/?#]+)@/i,
    (all: string, before: string, secret: string) =>
      isLiteral(secret) ? `${before}:${replace('PASSWORD', secret)}@` : all,
  );
  return password.replaceAll(
    /([?&])([^=&#]+)=([^&#]+)/g,
    (all: string, mark: string, name: string, secret: string) =>
      isSecretName(name) && isLiteral(secret) ? `${mark}${name}=${replace(name, secret)}` : all,
  );
}

/** Returns true if a text may be a secret: it is not trivial and contains no variable. */
function isLiteral(text: string): boolean {
  // The program may expand `$${NAME}`, which is a literal `${NAME}` here, by itself.
  if (/^(?:|true|false|\d{1,6})$/i.test(text) || /\$\$\{[A-Za-z_]\w*/.test(text)) return false;
  return !parseTemplate(text, false).some(({ kind }) => kind === 'variable' || kind === 'input');
}

function mapMembers(value: JsonObject, change: (name: string, value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(name, member)]));
}

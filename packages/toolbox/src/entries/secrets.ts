import { isRecord } from '../messages.js';
import { decodeComponent } from '../text/decode-component.js';

const SECRET_NAME =
  /key|token|secret|passw|passphrase|credential|auth(?!or)|cookie|bearer|session|(?:^|[^a-z])(?:pat|pwd)(?:[^a-z]|$)/i;
/** Names that look like a secret's and hold its location or a public part. */
const HARMLESS_NAME = /(?:_|-|^)(?:file|path|dir|url|uri|host|port|id|type|method|issuer|audience)$/i;
/** `--token=value`, `Authorization: value`; not the scheme of a URL. */
const ASSIGNMENT = /^-{0,2}([\w.-]+)(?:=|:(?!\/\/) *)(.*)$/s;

/**
 * Returns whether a header, variable or option of this name usually holds a secret: `API_KEY`, `X-Auth-Token`, `--password`.
 *
 * @example
 * ```ts
 * isSecretName('GITHUB_TOKEN'); // true
 * isSecretName('TOKEN_FILE'); // false: it holds a path
 * ```
 */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
}

/**
 * Returns the texts of a configuration entry that its server must not show when it repeats them, for `createRedactor`: all variables and
 * headers, values whose name suggests a secret, such as `--token=x`, and credentials and parameters of URLs.
 *
 * @param isSecret Returns whether a name suggests a secret. Default: in doubt, it does. A parameter of a URL has a name such as `?code`.
 */
export function secretsOfEntry(
  entry: unknown,
  isSecret: (name: string) => boolean = mayBeSecret,
): Set<string> {
  const secrets = new Set<string>();
  const keep = (text: string): void => {
    // In `Bearer …`, the credential alone is a secret too, and a key file is printed line by line.
    const forms = [text, decodeComponent(text), text.replace(/^[\w-]+ +/, ''), ...text.split(/\r?\n/)];
    for (const form of forms) secrets.add(form);
  };
  const search = (value: unknown, secret: boolean): void => {
    if (Array.isArray(value)) {
      value.forEach((item: unknown, at) => {
        const before: unknown = value[at - 1];
        const isOption = typeof before === 'string' && /^-[^=]*$/.test(before) && isSecret(before);
        search(item, secret || (isOption && !String(item).startsWith('--')));
      });
    } else if (isRecord(value)) {
      for (const [name, member] of Object.entries(value)) {
        // `oauth` has members with names of their own, and `key` of a certificate may be a path.
        const isNamed = /^(?:env|headers)$/.test(name) || (!/^(?:oauth|key)$/.test(name) && isSecret(name));
        search(member, secret || isNamed);
      }
    } else if (typeof value === 'string') {
      if (secret) keep(value);
      const [, option = '', assigned = value] = ASSIGNMENT.exec(value) ?? [];
      if (isSecret(`--${option}`)) keep(assigned);
      if (!URL.canParse(assigned)) return;
      const { username, password, searchParams } = new URL(assigned);
      for (const [name, text] of [['user', username], ['password', password], ...searchParams] as const)
        if (isSecret(`?${name}`)) keep(text);
    }
  };
  search(entry, false);
  return secrets;
}

function mayBeSecret(name: string): boolean {
  return /^\?|auth|pwd/i.test(name) || SECRET_NAME.test(name);
}

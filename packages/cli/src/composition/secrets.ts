import { isRecord, type ServerConfig } from '@mcp-fittings/client-core';
import type { LoadedConfig } from '@mcp-fittings/config';

/** Names of variables and arguments whose values are nobody else's business. */
const SECRET_NAME = /key|token|secret|passw|passphrase|credential|auth|cookie|bearer|\bpat\b|\bpwd\b/i;

/**
 * Values of all definitions, as written and as expanded, that must not be printed. What a project's file says in so many
 * words is no secret of the person, and hiding it would change the question whether to approve it.
 */
export function secretsIn({ entries }: Pick<LoadedConfig, 'entries'>): readonly string[] {
  return secretsOf(
    entries.flatMap(({ definition, config, approval }) => [
      (approval === undefined ? definition : undefined) ?? {},
      config ?? {},
    ]),
  );
}

/** Credentials, headers, and variables and arguments that are named like secrets. */
export function secretsOf(servers: Iterable<ServerConfig>): readonly string[] {
  const secrets = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === 'string') secrets.add(value);
  };
  for (const { headers, env, oauth, apiKey, clientCertificate, args, url, proxy } of servers) {
    add(apiKey);
    for (const value of Object.values(isRecord(headers) ? headers : {})) {
      add(value);
      // `Bearer …`, `Basic …`: the credential alone is as secret.
      if (typeof value === 'string') add(/^\S+ +(\S+)$/.exec(value)?.[1]);
    }
    for (const [name, value] of Object.entries(isRecord(env) ? env : {}))
      if (SECRET_NAME.test(name)) add(value);
    if (isRecord(oauth)) add(oauth['clientSecret']);
    if (isRecord(clientCertificate)) add(clientCertificate['passphrase']);
    for (const value of secretArguments(Array.isArray(args) ? args : [])) add(value);
    for (const address of [url, proxy]) for (const value of secretsOfUrl(address)) add(value);
  }
  return [...secrets];
}

/** `--token value` and `--token=value`. */
function* secretArguments(args: readonly unknown[]): Iterable<unknown> {
  for (const [index, argument] of args.entries()) {
    if (typeof argument !== 'string' || !argument.startsWith('-')) continue;
    const [name = '', ...value] = argument.split('=');
    if (!SECRET_NAME.test(name)) continue;
    yield value.length > 0 ? value.join('=') : args[index + 1];
  }
}

function* secretsOfUrl(address: unknown): Generator<string> {
  if (typeof address !== 'string' || !URL.canParse(address)) return;
  const { password, searchParams } = new URL(address);
  yield password;
  try {
    yield decodeURIComponent(password);
  } catch {
    // An escape that is none: it is sent as it is written.
  }
  for (const [name, value] of searchParams) if (SECRET_NAME.test(name)) yield value;
}

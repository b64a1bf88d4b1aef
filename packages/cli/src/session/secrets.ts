import type { ServerConfig } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { type LoadedConfig, isSecretName, moveSecretsToVariables } from '@mcp-fittings/config';

/**
 * Returns the secrets of all definitions, as written and as expanded. The text of a project's file is not a secret of
 * the user, and redacting it would change what the user approves.
 */
export function configSecrets({ entries }: Pick<LoadedConfig, 'entries'>): readonly string[] {
  return entrySecrets(
    entries.flatMap(({ definition, config, approval }) => [
      (approval === undefined ? definition : undefined) ?? {},
      config ?? {},
    ]),
  );
}

/** Returns credentials, headers, and variables and arguments that are named like secrets. */
export function entrySecrets(servers: Iterable<ServerConfig>): readonly string[] {
  const secrets = new Set<string>();
  const add = (value: unknown): void => {
    // The name of a variable is not a secret.
    if (typeof value === 'string' && !/^(?:[\w-]+ +)?\$\{\w+\}$/.test(value)) secrets.add(value);
  };
  for (const server of servers) {
    const { headers, env, oauth, apiKey, clientCertificate, args, url, proxy } = server;
    for (const { value } of moveSecretsToVariables('server', server).variables) add(value);
    add(apiKey);
    for (const value of Object.values(isRecord(headers) ? headers : {})) {
      add(value);
      // In `Bearer …` and `Basic …`, the credential alone is a secret too.
      if (typeof value === 'string') add(/^\S+ +(\S+)$/.exec(value)?.[1]);
    }
    for (const [name, value] of Object.entries(isRecord(env) ? env : {})) if (isSecretName(name)) add(value);
    if (isRecord(oauth)) add(oauth['clientSecret']);
    if (isRecord(clientCertificate)) add(clientCertificate['passphrase']);
    for (const value of secretArguments(Array.isArray(args) ? args : [])) add(value);
    for (const address of [url, proxy]) for (const value of secretsOfUrl(address)) add(value);
  }
  return [...secrets];
}

/** Yields the values of `--token value` and `--token=value`. */
function* secretArguments(args: readonly unknown[]): Iterable<unknown> {
  for (const [index, argument] of args.entries()) {
    if (typeof argument !== 'string' || !argument.startsWith('-')) continue;
    const [name = '', ...value] = argument.split('=');
    if (!isSecretName(name)) continue;
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
    // An invalid escape is sent as it is written.
  }
  for (const [name, value] of searchParams) if (isSecretName(name)) yield value;
}

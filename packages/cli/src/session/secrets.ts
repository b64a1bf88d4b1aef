import type { ServerConfig } from '@mcp-fittings/client-core';
import { isSecretName, secretsOfEntry } from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { type LoadedConfig, moveSecretsToVariables } from '@mcp-fittings/config';

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
  const secrets = [...servers].flatMap((server) => {
    const { headers, env, oauth, apiKey, clientCertificate, args, url, proxy } = server;
    const named = {
      headers,
      apiKey,
      args,
      url,
      proxy,
      variables: env,
      clientSecret: isRecord(oauth) && oauth['clientSecret'],
      passphrase: isRecord(clientCertificate) && clientCertificate['passphrase'],
    };
    const literals = moveSecretsToVariables('server', server).variables.map(({ value }) => value);
    return [...literals, ...secretsOfEntry(named, isSecretName)];
  });
  // The name of a variable is not a secret.
  return [...new Set(secrets)].filter((secret) => !/^(?:[\w-]+ +)?\$\{\w+\}$/.test(secret));
}

import type { ServerConfig } from '@mcp-fittings/client-core';
import { literalSecrets } from '@mcp-fittings/config';

/** What a user should know about secrets that an entry holds as text, once it is in a file. */
export function secretNotes(entry: ServerConfig): readonly string[] {
  return literalSecrets(entry).map(
    ({ field }) =>
      `The value of ${field.replace(/^(?:env|headers)\./, '')} is in the file now; \${NAME} would leave it in the environment.`,
  );
}

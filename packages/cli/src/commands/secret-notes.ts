import type { ServerConfig } from '@mcp-fittings/client-core';
import { literalSecrets } from '@mcp-fittings/config';

/** What a user should know about secrets that an entry holds as text, once it is in a file. */
export function secretNotes(entry: ServerConfig): readonly string[] {
  return literalSecrets(entry).map(
    ({ field }) =>
      `The value of ${field.replace(/^(?:env|headers)\./, '')} is now in the file; use \${NAME} to keep it in the environment.`,
  );
}

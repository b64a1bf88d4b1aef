import type { ServerConfig } from '@mcp-fittings/client-core';
import { findLiteralSecrets } from '@mcp-fittings/config';

/** What a user should know about secrets that an entry holds as text, once it is in a file, or would be after a `dryRun`. */
export function secretNotes(entry: ServerConfig, dryRun = false): readonly string[] {
  const verb = dryRun ? 'would be' : 'is now';
  return findLiteralSecrets(entry).map(
    ({ field }) =>
      `The value of ${field.replace(/^(?:env|headers)\./, '')} ${verb} in the file; use \${NAME} to keep it in the environment.`,
  );
}

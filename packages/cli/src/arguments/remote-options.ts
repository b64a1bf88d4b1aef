import type { Command } from 'commander';
import { collect } from '../help-text.js';

/** What the command line says about a server that is named by its URL. */
export interface RemoteFlags {
  readonly type?: string;
  readonly header: readonly string[];
  readonly clientId?: string;
  readonly oauthScope: readonly string[];
  readonly port?: string;
}

/** The options of a server that is named by its URL, for each command that takes one. */
export function addRemoteOptions(command: Command): Command {
  return command
    .option('-t, --type <type>', 'transport for a URL: http (falls back to sse), sse, ws')
    .option(
      '-H, --header <name: value>',
      'header to send with each request to a URL; can be repeated',
      collect,
      [],
    )
    .option('--client-id <id>', 'ID of an OAuth client that is already registered for this URL')
    .option('--oauth-scope <scope>', 'OAuth scope to request; can be repeated', collect, [])
    .option('--port <port>', 'port of the OAuth redirect URI');
}

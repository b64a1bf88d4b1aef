import { InvalidArgumentError, type Command } from 'commander';

/** Formats the examples of one command for `addHelpText('after', …)`. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** Parses an option that can be repeated. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Longest time of a timer, in milliseconds. */
const MOST_MS = 2_147_483_000;

/** Parses a time in seconds, which may be a fraction. Returns milliseconds. */
export function seconds(text: string): number {
  const milliseconds = Math.ceil(Number(text) * 1000);
  if (!(milliseconds > 0 && milliseconds <= MOST_MS))
    throw new InvalidArgumentError('It must be a number of seconds greater than 0 and at most 2147483.');
  return milliseconds;
}

/** Adds the options of what listens for clients. `variable` may hold their token. */
export function addClientOptions(command: Command, variable: string): Command {
  return command
    .option(
      '--token-file <file>',
      `file with the token that clients must send (or ${variable}); default: a new token, which is printed`,
    )
    .option('--allow-origin <origin>', 'origin of web pages that may connect; can be repeated', collect, [])
    .option(
      '--allow-host <name>',
      'host name that clients use for this machine; can be repeated',
      collect,
      [],
    );
}

/** Adds the options that apply to a server named by its URL. Their values are `RemoteOptions`. */
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
    .option('--account <name>', 'account to sign in with; each has credentials of its own')
    .option('--port <port>', 'port of the OAuth redirect URI');
}

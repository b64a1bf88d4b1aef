/** Explains a finding code. */
export interface FindingDescription {
  /** Says what is wrong, in general. */
  readonly meaning: string;
  /** Says what to do about it. `fix` of a finding is more specific if the check knows more. */
  readonly fix: string;
}

const describe = (meaning: string, fix: string): FindingDescription => ({ meaning, fix });

/**
 * The meaning and the general fix of every finding code.
 *
 * @example
 * ```ts
 * console.log(FINDING_CODES.COMMAND_NOT_FOUND.meaning);
 * ```
 */
export const FINDING_CODES = {
  // configuration and consent
  SERVER_UNKNOWN: describe('No server of this name is configured.', 'Add it: fittings add --help.'),
  SERVER_DISABLED: describe('The entry disables the server.', 'Enable it: fittings enable NAME.'),
  CONFIG_INVALID: describe(
    'The entry or a configuration file is invalid.',
    'Correct the named line or field.',
  ),
  CONFIG_SUSPICIOUS: describe('The entry works, but probably not as intended.', 'Check the named field.'),
  VARIABLE_MISSING: describe(
    'The entry uses an environment variable that is not set.',
    'Set the variable, or give it a default: ${NAME:-default}.',
  ),
  TYPE_UNKNOWN: describe(
    'No installed transport supports the type of the entry.',
    'Correct `type`: stdio, http, sse or ws.',
  ),
  APPROVAL_MISSING: describe(
    'The server came with a project and has not been approved.',
    'Review it: fittings approve NAME.',
  ),
  POLICY_DENIED: describe('A policy forbids the server.', 'Ask the administrator of this machine.'),

  // a local process
  COMMAND_NOT_FOUND: describe(
    'The command does not exist, or is not on the PATH.',
    'Install it, or give its full path.',
  ),
  COMMAND_NOT_EXECUTABLE: describe('The command is not executable.', 'Make it executable: chmod +x.'),
  CWD_INVALID: describe('The working directory does not exist.', 'Correct `cwd`, or leave it out.'),
  SPAWN_FAILED: describe(
    'The operating system refused to start the process.',
    'Check the limits of the system.',
  ),
  PROCESS_EXITED: describe(
    'The process exited instead of responding.',
    'Read what it wrote to stderr; run the command manually.',
  ),
  STDOUT_NOISE: describe(
    'The process writes something other than messages to stdout.',
    'Send its logging to stderr; check for a start script that prints.',
  ),

  // the network path to a remote server
  HOST_NOT_FOUND: describe(
    'Could not resolve the host name.',
    'Check its spelling, and whether a VPN or a proxy is needed.',
  ),
  PROXY_WRONG: describe('Could not connect through the proxy.', 'Check `proxy`, HTTPS_PROXY and NO_PROXY.'),
  CONNECTION_REFUSED: describe(
    'Connection refused: nothing is listening at that address.',
    'Check that the server is running, and check its host and port.',
  ),
  CONNECT_FAILED: describe(
    'Could not connect to the server.',
    'Check the network and any firewall in between.',
  ),
  NOT_ENCRYPTED: describe(
    'The entry allows an unencrypted connection (`allowInsecure`).',
    'Use wss: or https:, and remove `allowInsecure`.',
  ),
  CERTIFICATE_SELF_SIGNED: describe(
    'The certificate is self-signed, or signed by a private authority.',
    'If you trust it, add the certificate or its authority to `ca`.',
  ),
  CERTIFICATE_UNTRUSTED: describe(
    'The certificate is signed by an unknown authority.',
    'If you trust it, add the authority to `ca`. Otherwise the server has to send its full certificate chain.',
  ),
  CERTIFICATE_EXPIRED: describe(
    'The certificate has expired or is not valid yet.',
    'The owner of the server has to renew it.',
  ),
  CERTIFICATE_WRONG_HOST: describe(
    'The certificate is for other host names.',
    'Use a host name that the certificate covers.',
  ),
  TLS_FAILED: describe(
    'The TLS handshake failed.',
    'Check that the port speaks TLS, and whether a client certificate is required.',
  ),
  CLOCK_WRONG: describe(
    'The clocks of this machine and the server differ by minutes.',
    'Synchronize the clock of this machine; tokens and certificates depend on it.',
  ),
  ENDPOINT_NOT_FOUND: describe(
    'The server has no endpoint at this path.',
    'Check the path of the URL; many servers end in /mcp or /sse.',
  ),
  NOT_MCP: describe(
    'The server at this URL does not speak MCP.',
    'Check the URL: it leads to a web page or another service.',
  ),
  TRANSPORT_TYPE_WRONG: describe(
    'The server speaks a different transport than the entry says.',
    'Correct `type`.',
  ),
  REDIRECTED: describe('The server redirects to another address.', 'Set `url` to the new address.'),
  SERVER_ERROR: describe(
    'The server responded with an internal error.',
    'Try again later, or contact its owner.',
  ),
  RATE_LIMITED: describe('The server received too many requests.', 'Wait, then retry.'),
  REQUEST_REFUSED: describe(
    'The server rejects the request.',
    'Check the headers of the entry and who may use the server.',
  ),

  // sign-in
  DISCOVERY_MISSING: describe(
    'The server requires credentials, but does not say where to get them.',
    'It probably expects an API key: set `headers` or `apiKey`.',
  ),
  DISCOVERY_FAILED: describe(
    'The OAuth metadata of the server is invalid.',
    'Contact the owner of the server.',
  ),
  ISSUER_MISMATCH: describe(
    'The issuer of the authorization server is not the one that the server names.',
    'The owner of the server has to make both match exactly.',
  ),
  RESOURCE_MISMATCH: describe(
    'The OAuth metadata is for a different server.',
    'Use the URL that it names, or contact the owner.',
  ),
  SIGN_IN_REQUIRED: describe('The server requires a sign-in.', 'Sign in: fittings login NAME.'),
  TOKEN_EXPIRED: describe(
    'The token has expired and cannot be renewed.',
    'Sign in again: fittings login NAME.',
  ),
  TOKEN_REFUSED: describe('The server rejects the stored token.', 'Sign in again: fittings login NAME.'),
  CREDENTIALS_REFUSED: describe(
    'The server rejects the configured credentials.',
    'Correct `headers` or `apiKey`.',
  ),
  SCOPE_INSUFFICIENT: describe(
    'The token lacks a scope that the server requires.',
    'Sign in again: fittings login NAME.',
  ),
  STORE_UNUSABLE: describe(
    'The credential store cannot be used.',
    'Unlock the keychain, or choose another with --store.',
  ),

  // the protocol
  HANDSHAKE_TIMEOUT: describe(
    'The server did not respond in time.',
    'Increase `connectTimeout`, or check its log.',
  ),
  VERSION_UNSUPPORTED: describe(
    'The server and this client share no protocol revision.',
    'Update the server.',
  ),
  HANDSHAKE_FAILED: describe(
    'The server rejects the handshake, or violates the protocol.',
    'Update the server, or contact its owner.',
  ),
  LIST_FAILED: describe(
    'The server is connected, but does not list what it offers.',
    'Check the log of the server, or contact its owner.',
  ),
  UNEXPECTED: describe('An unexpected error occurred.', 'Run it again with --verbose.'),
} as const satisfies Record<string, FindingDescription>;

/** Code of a finding: one of the keys of {@link FINDING_CODES}. */
export type FindingCode = keyof typeof FINDING_CODES;

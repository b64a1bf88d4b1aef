interface FindingDescription {
  /** What it means, for the reference. */
  readonly meaning: string;
  /** What to do, where the part that found it does not say it better. */
  readonly fix: string;
}

const code = (meaning: string, fix: string): FindingDescription => ({ meaning, fix });

const CODES = {
  // configuration and consent
  SERVER_UNKNOWN: code('No server of this name is configured.', 'Add it: fittings add --help.'),
  SERVER_DISABLED: code('The entry disables the server.', 'Enable it: fittings enable NAME.'),
  CONFIG_INVALID: code('The entry or a configuration file is invalid.', 'Correct the named field.'),
  CONFIG_SUSPICIOUS: code('The entry works, but probably not as intended.', 'Check the named field.'),
  VARIABLE_MISSING: code(
    'The entry uses an environment variable that is not set.',
    'Set the variable, or give it a default: ${NAME:-default}.',
  ),
  TYPE_UNKNOWN: code(
    'No installed transport supports the type of the entry.',
    'Correct `type`: stdio, http, sse or ws.',
  ),
  APPROVAL_MISSING: code(
    'The server came with a project and has not been approved.',
    'Review it: fittings approve NAME.',
  ),
  POLICY_DENIED: code('A policy forbids the server.', 'Ask the administrator of this machine.'),

  // a local process
  COMMAND_NOT_FOUND: code(
    'The command does not exist, or is not on the PATH.',
    'Install it, or give its full path.',
  ),
  COMMAND_NOT_EXECUTABLE: code('The command is not executable.', 'Make it executable: chmod +x.'),
  CWD_INVALID: code('The working directory does not exist.', 'Correct `cwd`, or leave it out.'),
  SPAWN_FAILED: code('The operating system refused to start the process.', 'Check the limits of the system.'),
  PROCESS_EXITED: code(
    'The process exited instead of responding.',
    'Read what it wrote to stderr; run the command manually.',
  ),
  STDOUT_NOISE: code(
    'The process writes something other than messages to stdout.',
    'Send its logging to stderr; check for a start script that prints.',
  ),

  // the way to a remote server
  HOST_NOT_FOUND: code(
    'Could not resolve the host name.',
    'Check its spelling, and whether a VPN or a proxy is needed.',
  ),
  PROXY_WRONG: code('Could not connect through the proxy.', 'Check `proxy`, HTTPS_PROXY and NO_PROXY.'),
  CONNECTION_REFUSED: code(
    'Connection refused: nothing is listening at that address.',
    'Check that the server is running, and check its host and port.',
  ),
  CONNECT_FAILED: code('Could not connect to the server.', 'Check the network and any firewall in between.'),
  NOT_ENCRYPTED: code(
    'The entry allows an unencrypted connection (`allowInsecure`).',
    'Use wss: or https:, and remove `allowInsecure`.',
  ),
  CERTIFICATE_SELF_SIGNED: code(
    'The certificate is self-signed, or signed by a private authority.',
    'If you trust it, add the certificate or its authority to `ca`.',
  ),
  CERTIFICATE_UNTRUSTED: code(
    'The certificate is signed by an unknown authority.',
    'If you trust it, add the authority to `ca`. Otherwise the server has to send its full certificate chain.',
  ),
  CERTIFICATE_EXPIRED: code(
    'The certificate has expired or is not valid yet.',
    'The owner of the server has to renew it.',
  ),
  CERTIFICATE_WRONG_HOST: code(
    'The certificate is for other host names.',
    'Use a host name that the certificate covers.',
  ),
  TLS_FAILED: code(
    'The TLS handshake failed.',
    'Check that the port speaks TLS, and whether a client certificate is required.',
  ),
  CLOCK_WRONG: code(
    'The clocks of this machine and the server differ by minutes.',
    'Synchronize the clock of this machine; tokens and certificates depend on it.',
  ),
  ENDPOINT_NOT_FOUND: code(
    'The server has nothing at this path.',
    'Check the path of the URL; many servers end in /mcp or /sse.',
  ),
  NOT_MCP: code(
    'What responds at this URL does not speak MCP.',
    'Check the URL: it leads to a web page or another service.',
  ),
  TRANSPORT_TYPE_WRONG: code(
    'The server speaks a different transport than the entry says.',
    'Correct `type`.',
  ),
  REDIRECTED: code('The server redirects to another address.', 'Set `url` to the new address.'),
  SERVER_ERROR: code(
    'The server responded with an internal error.',
    'Try again later, or contact its owner.',
  ),
  RATE_LIMITED: code('The server received too many requests.', 'Wait, then retry.'),
  REQUEST_REFUSED: code(
    'The server rejects the request.',
    'Check the headers of the entry and who may use the server.',
  ),

  // sign-in
  DISCOVERY_MISSING: code(
    'The server requires credentials, but does not say where to get them.',
    'It probably expects an API key: set `headers` or `apiKey`.',
  ),
  DISCOVERY_FAILED: code('The metadata for sign-in is invalid.', 'Contact the owner of the server.'),
  ISSUER_MISMATCH: code(
    'The issuer of the authorization server is not the one that the server names.',
    'The owner has to make both match exactly.',
  ),
  RESOURCE_MISMATCH: code(
    'The metadata is for a different server.',
    'Use the URL that it names, or contact the owner.',
  ),
  SIGN_IN_REQUIRED: code('The server requires a sign-in.', 'Sign in: fittings login NAME.'),
  TOKEN_EXPIRED: code('The token has expired and cannot be renewed.', 'Sign in again: fittings login NAME.'),
  TOKEN_REFUSED: code('The server rejects the stored token.', 'Sign in again: fittings login NAME.'),
  CREDENTIALS_REFUSED: code(
    'The server rejects the configured credentials.',
    'Correct `headers` or `apiKey`.',
  ),
  SCOPE_INSUFFICIENT: code(
    'The token lacks a scope that the server requires.',
    'Sign in again: fittings login NAME.',
  ),
  STORE_UNUSABLE: code(
    'The credential store cannot be used.',
    'Unlock the keychain, or choose another with --store.',
  ),

  // the protocol
  HANDSHAKE_TIMEOUT: code(
    'The server did not respond in time.',
    'Increase `connectTimeout`, or check its log.',
  ),
  VERSION_UNSUPPORTED: code('The server and this client share no protocol revision.', 'Update the server.'),
  HANDSHAKE_FAILED: code(
    'The server rejects the handshake, or violates the protocol.',
    'Update the server, or contact its owner.',
  ),
  LIST_FAILED: code(
    'The server is connected, but does not list what it offers.',
    'Check the log of the server, or contact its owner.',
  ),
  UNEXPECTED: code('An unexpected error.', 'Run it again with --verbose.'),
} as const satisfies Record<string, FindingDescription>;

/** The closed set of what a diagnosis can find. */
export type FindingCode = keyof typeof CODES;

/** Meaning and general fix of each finding. */
export const FINDING_CODES: { readonly [Code in FindingCode]: FindingDescription } = CODES;

interface CodeFacts {
  /** What it means, for the reference. */
  readonly meaning: string;
  /** What to do, where the part that found it does not say it better. */
  readonly fix: string;
}

const code = (meaning: string, fix: string): CodeFacts => ({ meaning, fix });

const CODES = {
  // configuration and consent
  SERVER_UNKNOWN: code('No server of this name is configured.', 'Add it: fittings add --help.'),
  SERVER_DISABLED: code(
    'The entry says that the server is not to be used.',
    'Enable it: fittings enable NAME.',
  ),
  CONFIG_INVALID: code('The entry, or a file, cannot be used.', 'Correct the field that is named.'),
  CONFIG_SUSPICIOUS: code('The entry works and deserves a second look.', 'Check the field that is named.'),
  VARIABLE_MISSING: code(
    'The entry uses an environment variable that is not set.',
    'Set the variable, or give it a default: ${NAME:-default}.',
  ),
  TYPE_UNKNOWN: code(
    'No installed transport serves the type of the entry.',
    'Correct `type`: stdio, http, sse or ws.',
  ),
  APPROVAL_MISSING: code(
    'The server came with a project and has not been approved.',
    'Review it: fittings approve NAME.',
  ),
  POLICY_DENIED: code('A policy forbids the server.', 'Ask the administrator of this machine.'),

  // a local process
  COMMAND_NOT_FOUND: code(
    'The command does not exist, here or on the PATH.',
    'Install it, or give its full path.',
  ),
  COMMAND_NOT_EXECUTABLE: code('The command may not be executed.', 'Make it executable: chmod +x.'),
  CWD_INVALID: code('The working directory does not exist.', 'Correct `cwd`, or leave it out.'),
  SPAWN_FAILED: code(
    'The operating system refused to start the process.',
    'Look at the limits of the system.',
  ),
  PROCESS_EXITED: code(
    'The process ended instead of answering.',
    'Read what it wrote to stderr; run the command manually.',
  ),
  STDOUT_NOISE: code(
    'The process writes something other than messages to stdout.',
    'Send its logging to stderr; look for a start script that prints.',
  ),

  // the way to a remote server
  HOST_NOT_FOUND: code(
    'Could not resolve the host name.',
    'Check its spelling, and whether a VPN or a proxy is needed.',
  ),
  PROXY_WRONG: code('Could not connect through the proxy.', 'Check `proxy`, HTTPS_PROXY and NO_PROXY.'),
  CONNECTION_REFUSED: code(
    'Connection refused: nothing is listening at that address.',
    'Check that the server runs, its host and its port.',
  ),
  CONNECT_FAILED: code('Could not connect to the server.', 'Check the network and a firewall on the way.'),
  NOT_ENCRYPTED: code(
    'The entry allows an unencrypted connection (`allowInsecure`).',
    'Use wss: or https:, and remove `allowInsecure`.',
  ),
  CERTIFICATE_SELF_SIGNED: code(
    'The certificate is signed by itself or by a private authority.',
    'If you trust it, name the certificate or its authority in `ca`.',
  ),
  CERTIFICATE_UNTRUSTED: code(
    'The certificate is signed by an unknown authority.',
    'If you trust it, name the authority in `ca`; else the server has to send its whole chain.',
  ),
  CERTIFICATE_EXPIRED: code(
    'The certificate has expired or is not valid yet.',
    'The owner of the server has to renew it.',
  ),
  CERTIFICATE_WRONG_HOST: code(
    'The certificate is for other host names.',
    'Use a host name that the certificate has.',
  ),
  TLS_FAILED: code(
    'The TLS handshake failed.',
    'Check that the port speaks TLS, and whether a client certificate is wanted.',
  ),
  CLOCK_WRONG: code(
    'The clocks of this machine and the server differ by minutes.',
    'Set the clock of this machine by the network; tokens and certificates depend on it.',
  ),
  ENDPOINT_NOT_FOUND: code(
    'The server has nothing at this path.',
    'Check the path of the URL; many servers end in /mcp or /sse.',
  ),
  NOT_MCP: code(
    'Something answers that does not speak MCP.',
    'Check the URL: a web page or another service is there.',
  ),
  TRANSPORT_TYPE_WRONG: code('The server speaks another transport than the entry says.', 'Correct `type`.'),
  REDIRECTED: code('The server redirects to another address.', 'Put the new address into `url`.'),
  SERVER_ERROR: code('The server answered with an internal error.', 'Try again later, or tell its owner.'),
  RATE_LIMITED: code('The server asks to come back later.', 'Wait, then try again.'),
  REQUEST_REFUSED: code(
    'The server refuses the request.',
    'Check the headers of the entry and who may use the server.',
  ),

  // sign-in
  DISCOVERY_MISSING: code(
    'The server wants credentials and does not say where to get them.',
    'It probably wants an API key: put it into `headers` or `apiKey`.',
  ),
  DISCOVERY_FAILED: code('The metadata for sign-in cannot be used.', 'Tell the owner of the server.'),
  ISSUER_MISMATCH: code(
    'The authorization server calls itself something else than the server says.',
    'The owner has to make both say the same, letter by letter.',
  ),
  RESOURCE_MISMATCH: code(
    'The metadata speaks for another server than this one.',
    'Use the URL that it names, or tell the owner.',
  ),
  SIGN_IN_REQUIRED: code('The server requires a sign-in.', 'Sign in: fittings login NAME.'),
  TOKEN_EXPIRED: code('The token has expired and cannot be renewed.', 'Sign in again: fittings login NAME.'),
  TOKEN_REFUSED: code('The server refuses the stored token.', 'Sign in again: fittings login NAME.'),
  CREDENTIALS_REFUSED: code('The configured credentials are refused.', 'Correct `headers` or `apiKey`.'),
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
    'The server does not answer in time.',
    'Raise `connectTimeout`, or look at its log.',
  ),
  VERSION_UNSUPPORTED: code('The server and this client share no protocol revision.', 'Update the server.'),
  HANDSHAKE_FAILED: code(
    'The server refuses the handshake, or breaks a rule of it.',
    'Update the server, or tell its owner.',
  ),
  LIST_FAILED: code(
    'The server is connected and does not list what it offers.',
    'Look at the log of the server, or tell its owner.',
  ),
  UNEXPECTED: code('An unexpected error.', 'Run it again with --verbose.'),
} as const satisfies Record<string, CodeFacts>;

/** The closed set of what a diagnosis can find. */
export type FindingCode = keyof typeof CODES;

/** Meaning and general fix of each finding. */
export const FINDING_CODES: { readonly [Code in FindingCode]: CodeFacts } = CODES;

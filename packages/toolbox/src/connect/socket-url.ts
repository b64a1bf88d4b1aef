/** The parts of the URL of a Unix socket or a named pipe. */
export interface SocketUrl {
  /** Path to connect to, as `connect` of `node:net` takes it. */
  readonly path: string;
  /** Path and query of the endpoint, which the URL has as its fragment. */
  readonly endpoint: string;
}

/**
 * Returns whether a URL is that of a Unix socket (`unix:///run/server.sock`) or of a named pipe of Windows (`pipe:///pipe/server`).
 *
 * @see https://code.visualstudio.com/docs/agents/reference/mcp-configuration
 */
export function isSocketUrl(url: string | URL): boolean {
  return /^\s*(?:unix|pipe):/i.test(String(url));
}

/** Returns the parts of the URL of a socket or a pipe, or why it is not valid: a sentence and a hint. */
export function readSocketUrl(url: URL): SocketUrl | readonly [message: string, hint: string] {
  const isPipe = url.protocol === 'pipe:';
  const example = isPipe ? 'pipe:///pipe/name#/mcp' : 'unix:///path/to/server.sock#/mcp';
  const hint = `Write it as ${example}; the part after # is the path of the endpoint.`;
  const path = decoded(url.pathname);
  const isValid = path !== undefined && (isPipe ? PIPE : ABSOLUTE).test(path) && !DOTS.test(path);
  if (url.host !== '' || url.search !== '' || !isValid)
    return [`The URL of the server is not a valid URL of a ${isPipe ? 'named pipe' : 'Unix socket'}.`, hint];
  // A browser has neither, and its transport says so.
  const isWindows = typeof process === 'undefined' ? isPipe : process.platform === 'win32';
  if (isWindows !== isPipe) {
    return isPipe
      ? ['Named pipes exist on Windows only.', 'Use a Unix socket: unix:///path/to/server.sock']
      : ['Node.js cannot connect to Unix sockets on Windows.', 'Use a named pipe: pipe:///pipe/name'];
  }
  // Node.js would connect to what the cut path names, which is another socket.
  if (!isPipe && new TextEncoder().encode(path).length > LONGEST_PATH)
    return [
      `The path of the Unix socket is longer than ${LONGEST_PATH} bytes, the most that all systems accept.`,
      'Use a shorter path, such as one in /run or /tmp.',
    ];
  const fragment = url.hash.slice(1);
  return {
    path: isPipe ? `\\\\.${path.replaceAll('/', '\\')}` : path,
    endpoint: fragment.startsWith('/') ? fragment : `/${fragment}`,
  };
}

/** Returns what messages call a server: its origin; for a socket or a pipe, the URL without the path of the endpoint. */
export function originOf(url: URL): string {
  return isSocketUrl(url) ? `${url.protocol}//${url.pathname}` : url.origin;
}

const ABSOLUTE = /^\/[^\0]*[^/\0]$/;
/** A segment that leads elsewhere than the text says, so that a rule of a policy would not match. The URL parser resolves those that are not encoded. */
const DOTS = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)/;
/** Of macOS; Linux accepts four more. */
const LONGEST_PATH = 103;
const PIPE = /^\/pipe\/[^\0]*[^/\0]$/i;

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

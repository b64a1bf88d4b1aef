import { FittingsError } from '@mcp-fittings/client-core';
import { abortable } from '@mcp-fittings/toolbox/timing';
import { signInAborted, type Interaction, type InteractionOptions } from './interaction.js';
import { readPastedAddress } from './pasted-address.js';
import { checkCallbackPath, loopbackRedirectUri } from './redirect-uri.js';

/** Options of {@link pasteBack}. */
export interface PasteBackOptions {
  /**
   * Shows the sign-in page's URL, and resolves with the URL that the person copies from the address bar after signing in.
   * Called again, with `attempt` 2 and so on, if the text does not answer the sign-in. Should reject when `signal` is
   * aborted.
   */
  readonly ask: (question: {
    /** Name of the server, to show to the person. Not escaped. */
    readonly server: string;
    /** The sign-in page, to open on any machine: a normalized http or https URL. */
    readonly url: URL;
    /** 1 for the first question, up to 5. */
    readonly attempt: number;
    /** Explains why the previous answer does not answer the sign-in, in sentences to show; undefined for the first question. */
    readonly problem: string | undefined;
    /** Aborted when the sign-in is. */
    readonly signal: AbortSignal | undefined;
  }) => Promise<string>;
  /**
   * Port of the redirect URI if the server's configuration has none and none is registered. Nothing needs to listen on it.
   * Default 33418.
   */
  readonly port?: number | undefined;
  /** Host of the redirect URI if the server's configuration has none. Default `127.0.0.1`. */
  readonly host?: InteractionOptions['callbackHost'];
  /** Path of the redirect URI if the server's configuration has none. Default `/callback`. */
  readonly path?: string | undefined;
}

const PORT = 33_418;
const MAX_ATTEMPTS = 5;

/**
 * Creates an interaction for a browser on another machine (SSH, a container): the browser is redirected to a loopback URL
 * that does not load, and the person pastes that URL.
 *
 * Throws `CONFIG_INVALID` for an invalid `path`. Its sessions reject with `AUTH_FAILED` after five texts that do not answer
 * the sign-in, with `ABORTED`, or with the error of `ask`.
 * @example
 * ```ts
 * const terminal = createInterface({ input: process.stdin, output: process.stderr });
 * const interaction = pasteBack({
 *   ask: ({ url }) => terminal.question(`Open ${url.href}\nPaste the URL that the browser shows at the end: `),
 * });
 * ```
 */
export function pasteBack(options: PasteBackOptions): Interaction {
  const { port: usual = PORT, host = '127.0.0.1', path = '/callback' } = options;
  checkCallbackPath(path);
  return {
    async begin({ server, callbackPort, callbackHost = host, callbackPath = path, preferredPort, signal }) {
      const port = callbackPort ?? preferredPort ?? usual;
      /** The host's function may resolve with anything: a value that is not a string counts as a wrong answer. */
      const ask: PasteBackOptions['ask'] = async (question) => {
        const answer: unknown = await options.ask(question);
        return typeof answer === 'string' ? answer : '';
      };
      const redirectUri = loopbackRedirectUri(callbackHost, port, callbackPath);
      return {
        redirectUri,
        async authorize({ url, state }) {
          let problem: string | undefined;
          for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
            const asked = ask({ server, url, attempt, problem, signal });
            const text = await abortable(asked, signal, () => signInAborted(server));
            const pasted = readPastedAddress(text, { redirectUri, state, url });
            if (pasted.parameters !== undefined) return pasted.parameters;
            problem = pasted.problem;
          }
          throw new FittingsError(
            'AUTH_FAILED',
            `The pasted text does not answer the sign-in to "${server}". ${problem}`,
            {
              server,
              hint: 'Start the sign-in again, and paste the complete URL that the browser shows at the end.',
            },
          );
        },
        async [Symbol.asyncDispose]() {},
      };
    },
  };
}

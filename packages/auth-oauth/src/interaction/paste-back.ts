import { FittingsError } from '@mcp-fittings/client-core';
import { abortable } from '@mcp-fittings/client-core/timing';
import { signInAborted, type Interaction } from './interaction.js';
import { checkCallbackPath, type LoopbackHost, loopbackRedirectUri } from './redirect-uri.js';

export interface PasteBackOptions {
  /**
   * Shows the URL, and resolves with what the person copied from the address bar after signing in. Asked again, with
   * `attempt` 2 and so on, when that was something else. Should reject when `signal` is aborted.
   */
  readonly ask: (question: PasteBackQuestion) => Promise<string>;
  /** Port in the redirect URI, where none is configured or registered. Nothing has to listen there. Default 33418. */
  readonly port?: number | undefined;
  /** Host in the redirect URI, where none is configured. Default `127.0.0.1`. */
  readonly host?: LoopbackHost | undefined;
  /** Path in the redirect URI, where none is configured. Default `/callback`. */
  readonly path?: string | undefined;
}

export interface PasteBackQuestion {
  /** Name of the server, to show. */
  readonly server: string;
  readonly url: URL;
  readonly attempt: number;
  readonly signal: AbortSignal | undefined;
}

const PORT = 33_418;
const MAX_ATTEMPTS = 5;
const MAX_LENGTH = 65_536;

/**
 * Signs in where the browser runs on another machine (SSH, a container): it is redirected to an address where nobody
 * answers, and the person pastes that address. Rejects with `AUTH_FAILED` after five answers that were something else,
 * `ABORTED`, or with the error of `ask`.
 */
export function pasteBack(options: PasteBackOptions): Interaction {
  const { port: usual = PORT, host = '127.0.0.1', path = '/callback' } = options;
  checkCallbackPath(path);
  return {
    async begin({ server, callbackPort, callbackHost = host, callbackPath = path, preferredPort, signal }) {
      const port = callbackPort ?? preferredPort ?? usual;
      /** What is not an address counts as a wrong answer. */
      const ask = async (question: PasteBackQuestion): Promise<string> => {
        const answer: unknown = await options.ask(question);
        return typeof answer === 'string' ? answer : '';
      };
      return {
        redirectUri: loopbackRedirectUri(callbackHost, port, callbackPath),
        async authorize({ url, state }) {
          for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
            const asked = ask({ server, url, attempt, signal });
            const text = await abortable(asked, signal, () => signInAborted(server));
            const answer = parametersOf(text);
            if (answer?.getAll('state').length === 1 && answer.get('state') === state) return answer;
          }
          throw new FittingsError('AUTH_FAILED', 'What was pasted is not the answer to this sign-in.', {
            server,
            hint: 'Sign in again, and paste the whole address that the browser shows at the end.',
          });
        },
        async [Symbol.asyncDispose]() {},
      };
    },
  };
}

/** The parameters of a pasted address, or of the part of it after the question mark. */
function parametersOf(text: string): URLSearchParams | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  if (URL.canParse(trimmed)) return new URL(trimmed).searchParams;
  return new URLSearchParams(trimmed.slice(trimmed.indexOf('?') + 1));
}

import { FittingsError } from '@mcp-fittings/client-core';
import type { Interaction } from '../flow/interaction.js';

export interface PasteBackOptions {
  /**
   * Shows the URL, and resolves with what the person copied from the address bar after signing in. Asked again, with
   * `attempt` 2 and so on, when that was something else. Should reject when `signal` is aborted.
   */
  readonly ask: (question: PasteBackQuestion) => Promise<string>;
  /** Port in the redirect URI, where none is configured or registered. Nothing has to listen there. Default 33418. */
  readonly port?: number | undefined;
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
export function pasteBack({ ask, port: usual = PORT }: PasteBackOptions): Interaction {
  return {
    async begin({ server, callbackPort, preferredPort, signal }) {
      const port = callbackPort ?? preferredPort ?? usual;
      return {
        redirectUri: `http://127.0.0.1:${port}/callback`,
        async authorize({ url, state }) {
          for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
            const text = await unlessAborted(ask({ server, url, attempt, signal }), server, signal);
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

function unlessAborted<T>(work: Promise<T>, server: string, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void =>
      reject(new FittingsError('ABORTED', `The sign-in to "${server}" was given up.`, { server }));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

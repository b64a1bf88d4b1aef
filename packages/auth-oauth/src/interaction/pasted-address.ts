import { sanitizeText } from '@mcp-fittings/toolbox/text';

/** The address that a person has to paste. */
export interface ExpectedAddress {
  /** The redirect URI, with which it starts. */
  readonly redirectUri: string;
  /** The `state` that it carries. */
  readonly state: string;
  /** The sign-in page that was shown. */
  readonly url: URL;
}

/** The parameters of a pasted address, or a sentence that says why it does not answer the sign-in. */
export type PastedAddress =
  | { readonly parameters: URLSearchParams; readonly problem?: undefined }
  | { readonly parameters?: undefined; readonly problem: string };

const MAX_LENGTH = 65_536;

/**
 * Reads a pasted address, or the pasted part after its question mark. Its `state` decides: what precedes it may be spelled in
 * another way, and is only compared to explain a wrong answer.
 */
export function readPastedAddress(text: string, { redirectUri, state, url }: ExpectedAddress): PastedAddress {
  const pasted = text.trim();
  if (pasted === '') return { problem: 'Nothing was pasted.' };
  if (pasted.length > MAX_LENGTH) return { problem: 'This is too long to be the address.' };
  const address = URL.canParse(pasted) ? new URL(pasted) : undefined;
  const isSignInPage = address !== undefined && startOf(address) === startOf(url);
  const parameters = address?.searchParams ?? new URLSearchParams(pasted.slice(pasted.indexOf('?') + 1));
  const [given, ...more] = parameters.getAll('state');
  if (given === state && more.length === 0 && !isSignInPage) return { parameters };

  if (isSignInPage) {
    return {
      problem:
        'This is the address of the sign-in page. Sign in there, then paste the address that the browser shows at the end.',
    };
  }
  if (address !== undefined && startOf(address) !== redirectUri) {
    const start = sanitizeText(startOf(address), { maxLength: 100 });
    return { problem: `This address starts with ${start}; the address to paste starts with ${redirectUri}?` };
  }
  if (address === undefined && given === undefined) {
    return { problem: `This is not an address: it must start with ${redirectUri}?` };
  }
  return { problem: problemOfState(given, more.length > 0, state) };
}

function problemOfState(given: string | undefined, isRepeated: boolean, expected: string): string {
  if (isRepeated) return 'The address has more than one "state". Copy the whole address, once.';
  if (given === undefined) {
    return 'The end of the address is missing: it has no "state". Copy the whole address.';
  }
  if (expected.startsWith(given)) {
    return 'The end of the address is missing: its "state" is cut off. Copy the whole address.';
  }
  return 'This is the address of another sign-in: its "state" differs. Open the sign-in page that is shown here, and sign in again.';
}

function startOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

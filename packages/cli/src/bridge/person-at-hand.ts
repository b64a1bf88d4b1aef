import { deviceCode, loopback, placeOf, type SurfaceChooser } from '@mcp-fittings/auth-oauth';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import type { CommandContext } from '../command-context.js';

/**
 * How a person can sign in while stdin and stdout carry messages: in a browser, whose address is on stderr as well, or with
 * a code where there is no browser. Undefined where nobody is.
 */
export function personAtHand({ env, output, clock }: CommandContext): SurfaceChooser | undefined {
  const place = placeOf(env);
  if (place === 'unattended') return undefined;
  const onUrl = ({ server, url }: { readonly server: string; readonly url: URL }): void =>
    output.note(`Sign in to "${sanitizeText(server)}" in your browser: ${url.href}`);
  return ({ deviceGrant }) =>
    deviceGrant && place === 'remote'
      ? deviceCode({
          show: ({ server, verificationUri, userCode }) =>
            output.note(
              `Sign in to "${sanitizeText(server)}": open ${verificationUri} and enter ${userCode}`,
            ),
        })
      : loopback({ onUrl, clock });
}

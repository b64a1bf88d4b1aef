import { existsSync } from 'node:fs';
import { FittingsError } from '@mcp-fittings/client-core';
import { deviceCode, type DeviceInteraction, type InteractionChooser } from './interaction.js';
import { loopback, type LoopbackOptions } from './loopback.js';
import { pasteBack, type PasteBackOptions } from './paste-back.js';

/** Options of {@link interactionForEnvironment}. */
export interface EnvironmentOptions {
  /** Shows the code of the device grant, as `show` of {@link deviceCode}. Without it the device grant is not used. */
  readonly showCode?: DeviceInteraction['show'] | undefined;
  /**
   * Shows the sign-in page and asks for the URL that it redirected to, as `ask` of {@link pasteBack}. Without it, no one is
   * asked.
   */
  readonly askForAddress?: PasteBackOptions['ask'] | undefined;
  /** Options of the interaction with the browser of this machine. Default: those of {@link loopback}. */
  readonly loopback?: LoopbackOptions | undefined;
  /** Environment of the program. Default: the result of {@link detectEnvironment}. */
  readonly environment?: ReturnType<typeof detectEnvironment> | undefined;
}

/**
 * Returns a chooser for the environment of the program. On a desktop it opens the browser. In a remote shell or container it
 * shows a device code if the authorization server supports that, else it asks for the pasted URL. Unattended, and where the
 * callback that it needs is missing, it throws `AUTH_FAILED`.
 * @example
 * ```ts
 * const interaction = interactionForEnvironment({
 *   showCode: ({ verificationUri, userCode }) => console.log(`Enter ${userCode} at ${verificationUri}`),
 * });
 * oauth({ clientName: 'My App', store: memoryStore(), interaction });
 * ```
 */
export function interactionForEnvironment(options: EnvironmentOptions = {}): InteractionChooser {
  const { showCode, askForAddress } = options;
  return ({ deviceGrant }) => {
    const environment = options.environment ?? detectEnvironment();
    if (environment === 'desktop') return loopback(options.loopback);
    if (environment === 'remote') {
      if (deviceGrant && showCode !== undefined) return deviceCode({ show: showCode });
      if (askForAddress !== undefined) return pasteBack({ ask: askForAddress });
    }
    throw noInteraction(environment, options, deviceGrant);
  };
}

function noInteraction(
  environment: ReturnType<typeof detectEnvironment>,
  options: EnvironmentOptions,
  deviceGrant: boolean,
): FittingsError {
  if (environment === 'unattended') {
    return new FittingsError('AUTH_FAILED', 'Cannot sign in: this program runs unattended.', {
      hint: 'Sign in on a desktop that uses the same store, or use client credentials.',
    });
  }
  const hasCode = options.showCode !== undefined;
  const why = hasCode
    ? 'the authorization server does not support the device grant, which "showCode" needs, and "askForAddress" is missing'
    : deviceGrant
      ? 'both "showCode" and "askForAddress" are missing'
      : 'the authorization server does not support the device grant, and "askForAddress" is missing';
  return new FittingsError('AUTH_FAILED', `Cannot sign in without a browser: ${why}.`, {
    hint:
      deviceGrant && !hasCode
        ? 'Pass "showCode" or "askForAddress" to interactionForEnvironment().'
        : 'Pass "askForAddress" to interactionForEnvironment(): the person opens the page on another machine and pastes the URL that it redirects to.',
  });
}

/**
 * Detects where the program runs: `desktop` (with a browser), `remote` (a person, but no browser: SSH, a container) or
 * `unattended` (CI). It looks at `CI`, the variables that SSH and containers set, the files that container engines
 * create, and the display variables. macOS and Windows count as a desktop unless one of the former applies.
 * @example
 * ```ts
 * if (detectEnvironment() === 'unattended') throw new Error('Sign in on a desktop first.');
 * ```
 */
export function detectEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  fileExists: (path: string) => boolean = existsSync,
): 'desktop' | 'remote' | 'unattended' {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  if (isSet('CI') && env['CI'] !== 'false') return 'unattended';
  if (['SSH_CONNECTION', 'SSH_CLIENT', 'SSH_TTY'].some(isSet)) return 'remote';
  if (['CODESPACES', 'REMOTE_CONTAINERS', 'KUBERNETES_SERVICE_HOST', 'container'].some(isSet))
    return 'remote';
  if (fileExists('/.dockerenv') || fileExists('/run/.containerenv')) return 'remote';
  if (platform === 'darwin' || platform === 'win32') return 'desktop';
  return isSet('DISPLAY') || isSet('WAYLAND_DISPLAY') ? 'desktop' : 'remote';
}

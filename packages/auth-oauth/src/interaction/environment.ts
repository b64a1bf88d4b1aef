import { existsSync } from 'node:fs';
import { FittingsError } from '@mcp-fittings/client-core';
import { deviceCode, type DevicePrompt, type InteractionChooser } from './interaction.js';
import { loopback, type LoopbackOptions } from './loopback.js';
import { pasteBack, type PasteBackQuestion } from './paste-back.js';

export interface EnvironmentOptions {
  /** Shows a code to enter elsewhere. Without it the device grant is not used. */
  readonly showCode?: ((prompt: DevicePrompt) => void | Promise<void>) | undefined;
  /** Shows a URL and asks for the address that it ended at. Without it paste-back is not used. */
  readonly askForAddress?: ((question: PasteBackQuestion) => Promise<string>) | undefined;
  readonly loopback?: LoopbackOptions | undefined;
  /** Where the program runs. Default: found out by {@link detectEnvironment}. */
  readonly environment?: RuntimeEnvironment | undefined;
}

/** `desktop`: a browser here. `remote`: a person, but no browser here. `unattended`: no person. */
export type RuntimeEnvironment = 'desktop' | 'remote' | 'unattended';

/**
 * Chooses how a person signs in: the browser of this machine on a desktop; without one (SSH, a container, no display) a
 * device code where the authorization server knows that, else paste-back; and nothing where nobody is (CI): `AUTH_FAILED`.
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

/** Says which of the ways is missing, and why the others do not work here. */
function noInteraction(
  environment: RuntimeEnvironment,
  options: EnvironmentOptions,
  deviceGrant: boolean,
): FittingsError {
  if (environment === 'unattended') {
    return new FittingsError('AUTH_FAILED', 'This program runs unattended: there is no person to sign in.', {
      hint: 'Sign in on a desktop with the same store, or use client credentials.',
    });
  }
  const hasCode = options.showCode !== undefined;
  const why = hasCode
    ? 'the authorization server does not offer the device grant, which "showCode" needs, and "askForAddress" is missing'
    : deviceGrant
      ? 'both "showCode" and "askForAddress" are missing'
      : 'the authorization server does not offer the device grant, and "askForAddress" is missing';
  return new FittingsError('AUTH_FAILED', `There is no browser here to sign in with: ${why}.`, {
    hint:
      deviceGrant && !hasCode
        ? 'Pass "showCode" to interactionForEnvironment(), or "askForAddress".'
        : 'Pass "askForAddress" to interactionForEnvironment(): the person opens the page elsewhere and pastes the address that it ends at.',
  });
}

/** What the environment says of where this program runs. */
export function detectEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  fileExists: (path: string) => boolean = existsSync,
): RuntimeEnvironment {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  if (isSet('CI') && env['CI'] !== 'false') return 'unattended';
  if (['SSH_CONNECTION', 'SSH_CLIENT', 'SSH_TTY'].some(isSet)) return 'remote';
  if (['CODESPACES', 'REMOTE_CONTAINERS', 'KUBERNETES_SERVICE_HOST', 'container'].some(isSet))
    return 'remote';
  if (fileExists('/.dockerenv') || fileExists('/run/.containerenv')) return 'remote';
  if (platform === 'darwin' || platform === 'win32') return 'desktop';
  return isSet('DISPLAY') || isSet('WAYLAND_DISPLAY') ? 'desktop' : 'remote';
}

import type { DeviceInteraction, DevicePrompt } from '../flow/interaction.js';

/** Signs in with a code that the person enters on any device; the authorization server has to support it. */
export function deviceCode(options: {
  readonly show: (prompt: DevicePrompt) => void | Promise<void>;
}): DeviceInteraction {
  return { kind: 'device', show: options.show };
}

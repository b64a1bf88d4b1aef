import type { InteractionChooser, SignInInteraction } from './interaction.js';

/** Returns an interaction that tells the functions of the host which person signs in. */
export function interactionFor(
  principal: string | undefined,
  interaction: SignInInteraction | InteractionChooser | undefined,
): SignInInteraction | InteractionChooser | undefined {
  if (principal === undefined || interaction === undefined) return interaction;
  if (typeof interaction !== 'function') return bound(principal, interaction);
  return (supported) => bound(principal, interaction({ ...supported, principal }));
}

function bound(principal: string, interaction: SignInInteraction): SignInInteraction {
  return interaction.kind === 'device'
    ? { kind: 'device', show: (prompt) => interaction.show({ ...prompt, principal }) }
    : { begin: (options) => interaction.begin({ ...options, principal }) };
}

import { Option, type Command } from 'commander';
import { addRemoteOptions, type RemoteFlags } from '../../arguments/remote-options.js';
import { seconds } from '../../arguments/seconds.js';
import type { CommandContext } from '../../command-context.js';
import { examples } from '../../help-text.js';

/** How a person signs in. `browser`: here. `device`: with a code, on any device. `paste`: by bringing an address back. */
export const METHODS = ['browser', 'device', 'paste'] as const;
export type Method = (typeof METHODS)[number];

export interface LoginOptions extends RemoteFlags {
  readonly method?: Method;
  readonly timeout?: number;
}

export function registerLogin(program: Command, context: CommandContext): void {
  const signIn = program
    .command('login')
    .description('sign in to a server')
    .argument('<server>', 'name of a configured server, or a URL, as bridge takes it');
  addRemoteOptions(signIn)
    .addOption(
      new Option(
        '-m, --method <method>',
        'browser on this machine, a code, or pasting an address; default: depends on your environment',
      ).choices(METHODS),
    )
    .option('--timeout <seconds>', 'time limit for the sign-in (default: 300)', seconds)
    .addHelpText(
      'after',
      examples(
        'fittings login notion',
        'fittings login https://mcp.example.com/mcp   # for: fittings bridge https://mcp.example.com/mcp',
        'ssh server fittings login notion   # without a browser: a code, or paste the address',
      ),
    )
    .action(async (server: string, options: LoginOptions) => {
      const { login } = await import('./login.js');
      await login(context, server, options);
    });
  const signOut = program
    .command('logout')
    .description('sign out of a server: revoke and delete its credentials')
    .argument('<server>', 'name of a configured server, or a URL');
  addRemoteOptions(signOut)
    .addHelpText('after', examples('fittings logout notion'))
    .action(async (server: string, flags: RemoteFlags) => {
      const { logout } = await import('./logout.js');
      await logout(context, server, flags);
    });
}

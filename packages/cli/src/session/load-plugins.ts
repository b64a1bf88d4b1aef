import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AuthPlugin, TransportPlugin } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { CommandError } from '../output/hints.js';

/** Third-party transports and sign-in schemes that the user named with `--plugin`. */
export interface LoadedPlugins {
  readonly transports: readonly TransportPlugin[];
  readonly auth: readonly AuthPlugin[];
}

/**
 * Imports modules that the user named on the command line. A path is resolved against the current directory. A package
 * name is resolved from where the CLI is installed and never from the current directory, whose `node_modules` may belong
 * to someone else. Rejects with `CONFIG_INVALID` if a module cannot be imported or exports no plugin.
 */
export async function loadPlugins(modules: readonly string[], cwd: string): Promise<LoadedPlugins> {
  const found = await Promise.all(modules.map((name) => pluginsOf(name, cwd)));
  return {
    transports: found.flat().filter(isTransportPlugin),
    auth: found.flat().filter(isAuthPlugin),
  };
}

async function pluginsOf(name: string, cwd: string): Promise<readonly unknown[]> {
  const isPath = name.startsWith('.') || isAbsolute(name);
  let exported: unknown;
  try {
    const module: unknown = await import(isPath ? pathToFileURL(resolve(cwd, name)).href : name);
    exported = isRecord(module) ? module['default'] : undefined;
    if (typeof exported === 'function') exported = await (exported as () => unknown)();
  } catch (cause) {
    throw new CommandError('CONFIG_INVALID', `The plugin "${name}" cannot be imported.`, {
      cause,
      hint: isPath
        ? 'Check the path. It is relative to the current directory.'
        : `Install it next to the CLI: npm install -g ${name}`,
    });
  }
  const plugins: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  if (plugins.every((plugin) => isTransportPlugin(plugin) || isAuthPlugin(plugin))) return plugins;
  throw new CommandError('CONFIG_INVALID', `The module "${name}" has no default export that is a plugin.`, {
    hint: 'Export a TransportPlugin or an AuthPlugin, a list of them, or a function that returns them.',
  });
}

function isTransportPlugin(value: unknown): value is TransportPlugin {
  return isPlugin(value) && typeof value['type'] === 'string' && isRecord(value['schema']);
}

function isAuthPlugin(value: unknown): value is AuthPlugin {
  return isPlugin(value) && typeof value['scheme'] === 'string';
}

function isPlugin(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && value['specVersion'] === 1 && typeof value['create'] === 'function';
}

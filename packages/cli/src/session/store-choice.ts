import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createDirectory, replaceFile } from '@mcp-fittings/toolbox/files';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { STORE_NAMES, type StoreName } from '../options.js';
import { CommandError } from '../output/hints.js';

/**
 * Returns where credentials are kept: `--store`, else `FITTINGS_STORE`, else the store of the last `login` that named one,
 * else `keychain`. Throws `CONFIG_INVALID` for an unknown name in `FITTINGS_STORE`.
 */
export function chooseStore(
  flag: StoreName | undefined,
  env: Readonly<Record<string, string | undefined>>,
): StoreName {
  return namedStore(flag, env) ?? rememberedStore() ?? 'keychain';
}

/** Returns the store that `--store` or `FITTINGS_STORE` names, or undefined. Throws as `chooseStore` does. */
export function namedStore(
  flag: StoreName | undefined,
  env: Readonly<Record<string, string | undefined>>,
): StoreName | undefined {
  return flag ?? fromEnvironment(env['FITTINGS_STORE']);
}

function fromEnvironment(value: string | undefined): StoreName | undefined {
  if (value === undefined || value === '') return undefined;
  const name = STORE_NAMES.find((each) => each === value);
  if (name !== undefined) return name;
  throw new CommandError('CONFIG_INVALID', 'FITTINGS_STORE is not a valid credential store.', {
    hint: `Set it to one of: ${STORE_NAMES.join(', ')}.`,
  });
}

/** Returns the store of the last `login` that named one; undefined if the file is missing or damaged. */
function rememberedStore(): StoreName | undefined {
  try {
    const settings: unknown = JSON.parse(readFileSync(settingsFile(), 'utf8'));
    const store = isRecord(settings) ? settings['store'] : undefined;
    return STORE_NAMES.find((name) => name === store);
  } catch {
    return undefined;
  }
}

/** Makes this store the default of later commands. */
export async function rememberStore(store: StoreName): Promise<void> {
  if (rememberedStore() === store) return;
  const file = settingsFile();
  await createDirectory(dirname(file), 0o700);
  await replaceFile(file, `${JSON.stringify({ store }, undefined, 2)}\n`);
}

function settingsFile(): string {
  return join(homedir(), '.config', 'mcp-fittings', 'settings.json');
}

import { basename } from 'node:path';
import { storeError } from '@mcp-fittings/toolbox/stores';

/**
 * The variables that the helper inherits: enough to find the user's session and keychain. Secrets of the host, and variables
 * that make Node or the driver load code, are not passed on.
 */
const INHERITED = [
  // Linux: the session bus, and the display for prompts
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'XDG_DATA_HOME',
  'XDG_CONFIG_HOME',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  // All platforms
  'HOME',
  'USER',
  'LOGNAME',
  'PATH',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  // macOS
  '__CF_USER_TEXT_ENCODING',
  // Windows
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'USERPROFILE',
  'USERNAME',
  'USERDOMAIN',
  'APPDATA',
  'LOCALAPPDATA',
  'TEMP',
  'TMP',
];

/** Marks the helper, so that a host program that was started as its own helper does not start another one. */
const MARK = 'MCP_FITTINGS_KEYCHAIN_HELPER';

export function helperEnvironment(): Record<string, string> {
  const environment: Record<string, string> = { [MARK]: '1' };
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  // Electron runs as Node only with this variable.
  if ('electron' in process.versions) environment['ELECTRON_RUN_AS_NODE'] = '1';
  return environment;
}

/** Returns the Node that runs the helper. Throws when this program is a single binary. */
export function helperRuntime(execPath: string | undefined): string {
  if (execPath !== undefined) return execPath;
  if (process.env[MARK] !== undefined || isSingleBinary()) {
    throw storeError(
      'STORE_UNAVAILABLE',
      'Cannot start the helper process of the keychain: this program is a single binary without Node.',
      {
        hint: "Pass `isolation: 'in-process'`, or the path of a Node binary as `execPath`.",
        retryable: false,
        details: { state: 'unavailable' },
      },
    );
  }
  return process.execPath;
}

function isSingleBinary(): boolean {
  if ('bun' in process.versions) return !/^bun(\.exe)?$/i.test(basename(process.execPath));
  return process.getBuiltinModule('node:sea').isSea();
}

import { basename } from 'node:path';
import { storeError } from '@mcp-fittings/store-file/toolkit';

/**
 * What the helper inherits: how to find the user's session and keychain, and nothing else. The host's own secrets, and
 * variables that make Node or the driver load code, stay out.
 */
const INHERITED = [
  // Linux: the session bus and where a prompt can be shown
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'XDG_DATA_HOME',
  'XDG_CONFIG_HOME',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  // everywhere
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

/** Tells the helper what it is. If the program that was started is the host itself, it does not start another one. */
const MARK = 'MCP_FITTINGS_KEYCHAIN_HELPER';

export function helperEnvironment(): Record<string, string> {
  const environment: Record<string, string> = { [MARK]: '1' };
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  // Electron's binary is a Node only when told so.
  if ('electron' in process.versions) environment['ELECTRON_RUN_AS_NODE'] = '1';
  return environment;
}

/** The Node that runs the helper, or an error that says what to do where this program is all in one binary. */
export function helperRuntime(execPath: string | undefined): string {
  if (execPath !== undefined) return execPath;
  if (process.env[MARK] !== undefined || isSingleBinary()) {
    throw storeError(
      'STORE_UNAVAILABLE',
      'This program can not start a helper for the keychain: it has no Node of its own.',
      {
        hint: "Pass `isolation: 'in-process'`, or the path of a Node as `execPath`.",
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

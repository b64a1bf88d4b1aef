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

/** Returns the variables of the helper. */
export function helperEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

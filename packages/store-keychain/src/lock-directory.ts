import { homedir } from 'node:os';
import { join } from 'node:path';

/** Below the user's own directory, so that all programs of a user that share the keychain share the locks as well. */
export function defaultLockDirectory(): string {
  return join(homedir(), ...stateFolder(), 'mcp-fittings', 'keychain-locks');
}

/** Not XDG_STATE_HOME: two programs with different values would use one keychain and not exclude each other. */
function stateFolder(): readonly string[] {
  switch (process.platform) {
    case 'darwin':
      return ['Library', 'Application Support'];
    case 'win32':
      return ['AppData', 'Local'];
    default:
      return ['.local', 'state'];
  }
}

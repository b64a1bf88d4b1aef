import { spawn } from 'node:child_process';
import { win32 } from 'node:path';
import { FittingsError, systemClock, type Clock } from '@mcp-fittings/client-core/auth';
import { settlesWithin } from '@mcp-fittings/client-core/timing';
import { checkEndpoint } from '../discovery/endpoint-policy.js';

export interface OpenBrowserOptions {
  readonly clock?: Clock | undefined;
}

/** An opener that still runs after this time has done its work: some wait for the browser to be closed. Milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Opens a page in the person's browser: one program, one canonical https URL (or http on this machine) as its only free
 * argument, and no shell that could read anything into it (CVE-2025-6514). Rejects with `AUTH_FAILED`.
 */
export async function openBrowser(url: URL, options: OpenBrowserOptions = {}): Promise<void> {
  const { clock = systemClock } = options;
  const [command, ...args] = openerOf(process.platform, checkEndpoint('page to sign in at', url.href));
  const ended = new Promise<void>((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void =>
      reject(
        new FittingsError('AUTH_FAILED', `The browser could not be opened: ${why}.`, {
          cause,
          hint: 'Open the sign-in page by hand, or sign in with a code.',
        }),
      );
    const child = spawn(command, args, { stdio: 'ignore', shell: false, detached: true, windowsHide: true });
    child.once('error', (cause) => fail(`"${command}" can not be started`, cause));
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else fail(`"${command}" ended with ${code}`);
    });
    child.unref();
  });
  if (await settlesWithin(PATIENCE_MS, ended, clock)) await ended;
}

function openerOf(platform: NodeJS.Platform, url: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['/usr/bin/open', url];
  // Hands the URL to the registered handler, and unlike `cmd /c start` or PowerShell reads nothing in it.
  // By its full path: Windows would look into the current folder first.
  if (platform === 'win32') {
    const rundll32 = win32.join(
      process.env['SystemRoot'] ?? String.raw`C:\Windows`,
      'System32',
      'rundll32.exe',
    );
    return [rundll32, 'url.dll,FileProtocolHandler', url];
  }
  return ['xdg-open', url];
}

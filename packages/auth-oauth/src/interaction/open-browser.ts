import { spawn } from 'node:child_process';
import { win32 } from 'node:path';
import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { findProgram, withSafeSearch } from '@mcp-fittings/toolbox/programs';
import { settlesWithin, systemClock } from '@mcp-fittings/toolbox/timing';
import { checkEndpoint } from '../discovery/accepted-metadata.js';

/** An opener that still runs after this time, in milliseconds, has succeeded: some wait until the browser is closed. */
const WATCH_MS = 2_000;

/**
 * Opens a page in the person's browser. The URL is normalized, must be https (or http on a loopback address), and is passed
 * as one argument, without a shell that could interpret it (CVE-2025-6514). Rejects with `AUTH_DISCOVERY_FAILED` for
 * another URL, and with `AUTH_FAILED` if the browser cannot be started. `clock` times the two seconds that the opener is
 * watched for.
 * @example
 * ```ts
 * await openBrowser(new URL('https://idp.example.com/authorize?…'));
 * ```
 */
export async function openBrowser(
  url: URL,
  { clock = systemClock }: { readonly clock?: Clock | undefined } = {},
): Promise<void> {
  const [command, ...args] = openerOf(process.platform, checkEndpoint('sign-in page', url.href));
  // The opener looks for the browser on the same PATH.
  const env = withSafeSearch(process.env, process.platform);
  const notStarted = (cause: unknown): FittingsError => notOpened(`"${command}" could not be started`, cause);
  const program = await findProgram({ command, args, env, platform: process.platform }).catch(
    (cause: unknown) => {
      throw notStarted(cause);
    },
  );
  if ('code' in program) throw notStarted(undefined);
  const { file, args: words, verbatim } = program;
  const ended = new Promise<void>((resolve, reject) => {
    const child = spawn(file, words, {
      env,
      stdio: 'ignore',
      shell: false,
      detached: true,
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
    child.once('error', (cause) => reject(notStarted(cause)));
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(notOpened(`"${command}" exited with code ${code}`));
    });
    child.unref();
  });
  if (await settlesWithin(WATCH_MS, ended, clock)) await ended;
}

function notOpened(why: string, cause?: unknown): FittingsError {
  return new FittingsError('AUTH_FAILED', `Could not open the browser: ${why}.`, {
    cause,
    hint: 'Open the sign-in page manually, or sign in with a device code.',
  });
}

/** Returns the program that opens a page, and its arguments. */
export function openerOf(platform: NodeJS.Platform, url: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['/usr/bin/open', url];
  // Passes the URL to the registered handler and, unlike `cmd /c start` or PowerShell, does not interpret it.
  // The full path, because Windows searches the current folder first.
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

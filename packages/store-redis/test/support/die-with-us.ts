import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Ends a process when the tests are killed, which a suspended process or a server does not notice: a shell waits for a line
 * that is sent when the process has ended, or else for the end of the pipe.
 */
export function dieWithUs(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const guard = spawn('sh', ['-c', 'read -r ended || kill -9 "$1"', 'sh', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.once('exit', () => guard.stdin.end('ended\n'));
}

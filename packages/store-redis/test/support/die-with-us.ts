import { spawn, type ChildProcess } from 'node:child_process';

/**
 * A process that is suspended, or that serves, does not notice that the tests were killed. This ends it then: a shell waits
 * for a word that comes when the process has ended, and for the end of the pipe otherwise.
 */
export function dieWithUs(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const guard = spawn('sh', ['-c', 'read -r ended || kill -9 "$1"', 'sh', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.once('exit', () => guard.stdin.end('ended\n'));
}

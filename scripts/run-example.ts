import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';

export interface ExampleRun {
  readonly stdout: string;
  /** Ids of processes that the program started and that still run. Linux only. */
  readonly leftBehind: () => readonly string[];
}

/** Runs the main program of an example to its end. Rejects if it fails. */
export async function runExample(main: string): Promise<ExampleRun> {
  const mark = `example-${process.pid}-${performance.now()}`;
  // Servers get little of the environment, but always the PATH.
  const env = { ...process.env, PATH: `${process.env['PATH']}:/nonexistent/${mark}` };
  const { stdout } = await promisify(execFile)(process.execPath, [main], { env });
  return { stdout, leftBehind: () => processesWith(mark) };
}

function processesWith(mark: string): readonly string[] {
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return false;
    try {
      return readFileSync(`/proc/${entry}/environ`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  });
}

/** Runs one command to its end; what it said is shown only when it failed. */
import { execFile } from 'node:child_process';

const LONGEST_MS = 300_000;

/** @returns {Promise<string>} its standard output */
export function run(command, args, { cwd, env = {}, timeout = LONGEST_MS }) {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else {
        const how = error.signal ?? error.code;
        reject(new Error(`In ${cwd}: ${command} ${args.join(' ')} (${how})\n${stdout}\n${stderr}`));
      }
    });
    child.stdin?.end();
  });
}

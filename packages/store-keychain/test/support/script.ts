import { spawn, type ChildProcess } from 'node:child_process';

export interface Script {
  readonly child: ChildProcess;
  /** The first line that it writes. */
  readonly said: Promise<string>;
  /** Exit code or signal, and everything that it wrote to stderr. */
  readonly ended: Promise<{ readonly status: number | string | null; readonly errors: string }>;
}

/** Runs a short program in its own process, where it can import the packages installed here. */
export function runScript(source: string, env: NodeJS.ProcessEnv = process.env): Script {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: import.meta.dirname,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  const said = new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()));
    child.once('close', () => reject(new Error(`it said nothing: ${errors}`)));
  });
  said.catch(() => undefined);
  const ended = new Promise<Awaited<Script['ended']>>((resolve) => {
    child.once('close', (code, signal) => resolve({ status: signal ?? code, errors }));
  });
  return { child, said, ended };
}

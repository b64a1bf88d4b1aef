/**
 * Keeps every core out of its sleep states while it is measured. A ping-pong lets a core sleep dozens of thousands of times a
 * second, and on a virtual machine each awakening costs more than the call: a constant that hides what differs. The loops
 * run at the lowest priority, so whatever is measured takes their place at once.
 */
import { spawn } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';

const LOOP =
  'process.on("disconnect", () => process.exit()); (function spin() { for (let i = 0; i < 1e6; i++); setImmediate(spin); })();';

export function keepAwake() {
  const children = Array.from({ length: availableParallelism() }, () => {
    const child = spawn(process.execPath, ['--eval', LOOP], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
    return child;
  });
  return { stop: () => children.forEach((child) => child.kill()) };
}

/**
 * Keeps every core out of its sleep states while it is measured. A ping-pong lets a core sleep dozens of thousands of times a
 * second, and on a virtual machine each awakening costs more than the call: a constant that hides what differs. The loops
 * run at the lowest priority, so whatever is measured takes their place at once.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';

const LOOP =
  'process.on("disconnect", () => process.exit()); (function spin() { for (let i = 0; i < 1e6; i++); setImmediate(spin); })();';
const LOWEST = constants.priority.PRIORITY_LOW;

export function keepAwake() {
  const children = Array.from({ length: availableParallelism() }, () => {
    const child = spawn(process.execPath, ['--eval', LOOP], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
    });
    setPriority(child.pid, LOWEST);
    lowerSession(child.pid);
    return child;
  });
  return { stop: () => children.forEach((child) => child.kill()) };
}

/**
 * Linux shares a core between sessions first, whatever their processes' priorities. A loop in the session of a contender
 * would take half a core from a server that has a session of its own, and nothing from one that has not.
 */
function lowerSession(pid) {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(LOWEST));
  } catch (error) {
    // Neither macOS nor a kernel without such groups has the file.
    if (error.code !== 'ENOENT') throw error;
  }
}

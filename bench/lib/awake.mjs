/**
 * Keeps every core out of its sleep states while it is measured. A ping-pong lets a core sleep dozens of thousands of times a
 * second, and on a virtual machine each awakening costs more than the call: a constant that hides what differs.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';

const LOOP =
  'process.on("disconnect", () => process.exit()); (function spin() { for (let i = 0; i < 1e6; i++); setImmediate(spin); })();';
const LOWEST = constants.priority.PRIORITY_LOW;

/** Asks the kernel for it, which only root may; everyone else keeps the cores busy with loops of the lowest priority. */
export function keepAwake() {
  return askForNoLatency() ?? spin();
}

/** As long as the file is open, idle cores poll. @see https://docs.kernel.org/power/pm_qos_interface.html */
function askForNoLatency() {
  try {
    const file = openSync('/dev/cpu_dma_latency', 'r+');
    writeSync(file, new Uint8Array(4));
    return { how: 'idle cores poll', stop: () => closeSync(file) };
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'ENODEV'].includes(error.code)) return undefined;
    throw error;
  }
}

function spin() {
  const children = Array.from({ length: availableParallelism() }, () => {
    const child = spawn(process.execPath, ['--eval', LOOP], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
    });
    setPriority(child.pid, LOWEST);
    lowerSession(child.pid);
    return child;
  });
  return { how: 'loops of the lowest priority', stop: () => children.forEach((child) => child.kill()) };
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

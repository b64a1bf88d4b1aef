import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Most resident memory of this process since `resetPeak`, in bytes, where the system has it; otherwise since its start. Not
 * `maxRSS`: a program that is started takes over that of the process that starts it, so that a large bench made its children large.
 */
export function peakBytes() {
  try {
    return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}

/** @see https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html */
export function resetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Then what needs little memory has the peak of its preparation.
  }
}

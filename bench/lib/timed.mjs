/**
 * Milliseconds of wall and of this process's CPU that `work` takes. The collector runs when it wants to: a forced collection
 * throws compiled code away with the garbage, and a short round after it measures little but compiling it anew.
 */
export async function timed(work) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

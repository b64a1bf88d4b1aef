/** The first calls of a process: what the user of a short program waits for. */
import { connect, startHttpServer } from './connection.mjs';

/** So many calls have warmed up the server, which is not what is measured. */
const SERVER_CALLS = 2000;
const COUNTS = [1, 10, 100, 500];

/**
 * Milliseconds from a started transport until the answer to the first, tenth, hundredth and last of 500 calls, one at a time, and
 * from the import of the transport until the first (`answer`). Each in milliseconds of CPU of the client, too.
 */
export async function coldCalls(task) {
  const server = task.wire === 'stdio' ? undefined : await startHttpServer(1, SERVER_CALLS);
  return async () => {
    const found = {};
    const imported = stopwatch();
    const connection = await connect({ ...task, port: server?.ports[0], serverCalls: SERVER_CALLS });
    // A program on stdio has to start; that a server is there is what the others begin with.
    if (server === undefined) await connection.untilNotified();
    const started = stopwatch();
    for (let made = 1; made <= COUNTS.at(-1); made++) {
      await connection.call('echo', {
        text: 'Sixty-four bytes of text are about what a small tool gives back.',
      });
      if (made === 1) Object.assign(found, imported('answer'));
      if (COUNTS.includes(made)) Object.assign(found, started(`first${made}`));
    }
    return found;
  };
}

/** @returns a function that gives the milliseconds since now, of wall and of CPU, under a name. */
function stopwatch() {
  const cpu = process.cpuUsage();
  const started = performance.now();
  return (name) => {
    const ms = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    return { [name]: ms, [`${name}Cpu`]: (user + system) / 1000 };
  };
}

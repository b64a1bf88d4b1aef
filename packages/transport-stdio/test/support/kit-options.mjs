// How the contract suite sees this transport. Plain JavaScript, for `node --test` on the built package too.
import { fileURLToPath } from 'node:url';

export const KIT_SERVER = fileURLToPath(new URL('kit-server.mjs', import.meta.url));

/** `server` is the file to run. */
export function kitOptions(createStdioTransport, framing, server = KIT_SERVER) {
  const fixture = (command, { server: name, signal: aborted }) => {
    const transport = createStdioTransport({
      command,
      args: [server, framing],
      framing,
      server: name,
      signal: aborted,
      maxQueuedBytes: 256 * 1024 * 1024,
      shutdown: { afterStdinEndMs: 500, afterSigtermMs: 500 },
    });
    const signal = (name) => async () => void process.kill(transport.pid, name);
    return {
      transport,
      killPeer: signal('SIGKILL'),
      pausePeer: signal('SIGSTOP'),
      resumePeer: signal('SIGCONT'),
      teardown: () => transport.close(),
    };
  };
  return {
    name: `stdio, ${framing}`,
    capabilities: {
      backPressure: true,
      signal: true,
      serverName: true,
      garbage:
        framing === 'newline' ? ['a log line\n', '{"half": \n', '\n', '[x]\r\n'] : ['a log line\n', '\r\n'],
    },
    setup: async (options) => fixture(process.execPath, options),
    setupUnreachable: async (options) => fixture('/does/not/exist', options),
  };
}

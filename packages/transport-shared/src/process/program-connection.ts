import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  FittingsError,
  type JSONRPCMessage,
  type JSONRPCRequest,
  TransportError,
} from '@mcp-fittings/client-core';
import { isMessage, isRecord, isRequest, META, parseJson } from '@mcp-fittings/toolbox/messages';
import { canonicalJson, hashText } from '@mcp-fittings/toolbox/text';
import { createLineSocket } from '../wire/line-socket.js';
import {
  asOpening,
  controlLine,
  controlOf,
  toWireError,
  type ControlEvent,
  type Opening,
} from '../wire/protocol.js';
import { STATELESS, type PooledServer, type ServerPool } from './server-pool.js';
import type { Member } from './shared-server.js';

/** Serves the connection of one program. */
export type ProgramConnection = ReturnType<typeof serveProgram>;

/** Serves one program until it disconnects. `onEnd` is called once, then. */
export function serveProgram(socket: Socket, pool: ServerPool, onEnd: () => void) {
  let opening: Opening | undefined;
  let current: PooledServer | undefined;
  /** Messages that arrive while the program changes to another process; undefined at other times. */
  let waiting: JSONRPCMessage[] | undefined;
  let hasEnded = false;
  let isDraining = false;

  const lines = createLineSocket({
    socket,
    onLine: (text) => guarded(() => receive(text)),
    onEnd() {
      hasEnded = true;
      current?.server.leave(member);
      socket.destroy();
      onEnd();
    },
  });
  const write = (line: string): void => {
    // It has ended, which `onEnd` says.
    lines.write(line).catch(() => undefined);
  };
  const say = (event: ControlEvent): void => write(controlLine(event));
  const end = (error: FittingsError): void => {
    say({ event: 'ended', error: toWireError(error), description: current?.transport.describe() });
    lines.end();
  };

  /** A line that makes this fail ends the connection of its program, not the process of all. */
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (cause) {
      if (!hasEnded) end(cause instanceof FittingsError ? cause : refused('A line could not be processed.'));
    }
  };

  const member: Member = {
    send: (message) => write(`${JSON.stringify(message)}\n`),
    fail: (id, error) => say({ event: 'failed', id, error: toWireError(error) }),
    ended: end,
    report: (error) => say({ event: 'report', error: toWireError(error) }),
    stderr(line) {
      if (opening?.stderr === true) say({ event: 'stderr', line });
    },
  };

  const receive = (text: string): void => {
    const value = parseJson(text);
    if (value === undefined) return void socket.destroy();
    if (opening === undefined) return open(asOpening(controlOf(value)));
    const version = controlOf(value)?.['version'];
    if (typeof version === 'string') return current?.server.setProtocolVersion(version);
    if (!isMessage(value)) return;
    if (isDraining && isRequest(value))
      member.fail(value.id, refused('The shared process is ending.', 'not-sent'));
    else if (waiting === undefined) handle(value);
    else waiting.push(value);
  };

  const open = (given: Opening | undefined): void => {
    opening = given;
    if (given === undefined) return end(refused('The program speaks another version of the shared process.'));
    const group = pool.group(given.launch, given.server);
    // Which of several processes it needs is known when it says what session it wants.
    if (group.isRunning) opened();
    else enter(group.open(STATELESS), () => opened());
  };
  const opened = (): void => say({ event: 'opened', description: current?.transport.describe() ?? {} });

  /** Joins a process, when it runs. */
  const enter = (pooled: PooledServer, then: () => void): void => {
    const before = current;
    current = pooled;
    waiting = [];
    pooled.server.join(member);
    if (before !== undefined && before !== pooled) before.server.leave(member);
    pooled.server.started.then(
      () => {
        then();
        const missed = waiting ?? [];
        waiting = undefined;
        for (const [index, message] of missed.entries()) {
          if (waiting === undefined) guarded(() => handle(message));
          else {
            // It changes once more.
            waiting = [...missed.slice(index), ...waiting];
            return;
          }
        }
      },
      (error: unknown) => {
        if (!hasEnded)
          end(error instanceof FittingsError ? error : refused('The server could not be started.'));
      },
    );
  };

  const handle = (message: JSONRPCMessage): void => {
    const session = sessionFor(message);
    if (session !== undefined && session !== current?.session && opening !== undefined) {
      const group = pool.group(opening.launch, opening.server);
      if (isProbe(message) && group.undiscoverable !== undefined) {
        return member.send({ jsonrpc: '2.0', id: message.id, error: group.undiscoverable });
      }
      return enter(group.open(session), () => pass(message));
    }
    pass(message);
  };
  const pass = (message: JSONRPCMessage): void => {
    const server = current?.server;
    if (server === undefined) return;
    if (isInitialize(message)) return server.initialize(member, message);
    server.receive(member, message);
  };

  /** Returns which kind of session a message needs; undefined if any does. */
  const sessionFor = (message: JSONRPCMessage): string | undefined => {
    if (isInitialize(message)) return opening === undefined ? undefined : sessionOf(message, opening);
    if (isProbe(message)) return STATELESS;
    if (isRequest(message) && message.params?._meta?.[META.protocolVersion] !== undefined) return STATELESS;
    return current === undefined ? STATELESS : undefined;
  };

  return {
    /** Fails further requests, which are not sent. */
    refuseRequests(): void {
      isDraining = true;
    },
    close: () => end(refused('The shared process has ended.')),
  };
}

/**
 * Programs share a session if the server cannot tell them apart: same revision, same capabilities, same roots. The name of the
 * program is that of the first one.
 */
function sessionOf({ params = {} }: JSONRPCRequest, opening: Opening): string {
  const { protocolVersion, capabilities } = params;
  const hasRoots = isRecord(capabilities) && 'roots' in capabilities;
  const isAlone = hasRoots && opening.launch.roots === undefined;
  const text = canonicalJson([protocolVersion, capabilities, isAlone ? randomUUID() : null]);
  return hashText(text);
}

function isInitialize(message: JSONRPCMessage): message is JSONRPCRequest {
  return isRequest(message) && message.method === 'initialize';
}

function isProbe(message: JSONRPCMessage): message is JSONRPCRequest {
  return isRequest(message) && message.method === 'server/discover';
}

function refused(message: string, delivery?: 'not-sent'): TransportError {
  return new TransportError('CONNECTION_LOST', message, { delivery });
}

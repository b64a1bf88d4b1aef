import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import type { ControlChannel } from '@mcp-fittings/transport-inprocess';

type Listener = Parameters<ControlChannel['subscribe']>[0];

/** One end of a channel that a test can also speak into itself. */
export interface ChannelEnd extends ControlChannel {
  closed(server: string): void;
  /** Lets this end hear something, whatever it is. */
  hear(server: unknown, message: unknown): void;
  readonly sent: (readonly [server: string, message: JSONRPCMessage])[];
  readonly closedNames: string[];
  readonly listeners: number;
}

class End implements ChannelEnd {
  readonly sent: [string, JSONRPCMessage][] = [];
  readonly closedNames: string[] = [];
  readonly heardBy = new Set<Listener>();
  other: End | undefined;

  get listeners(): number {
    return this.heardBy.size;
  }

  send(server: string, message: JSONRPCMessage): void {
    this.sent.push([server, message]);
    const copy = structuredClone(message);
    queueMicrotask(() => this.other?.hear(server, copy));
  }

  closed(server: string): void {
    this.closedNames.push(server);
    for (const listener of this.other?.heardBy ?? []) listener.closed(server);
  }

  subscribe(listener: Listener): () => void {
    this.heardBy.add(listener);
    return () => this.heardBy.delete(listener);
  }

  hear(server: unknown, message: unknown): void {
    for (const listener of this.heardBy) listener.message(server, message);
  }
}

/** Both ends of a channel whose messages arrive a moment later, as copies. */
export function memoryChannel(): { readonly near: ChannelEnd; readonly far: ChannelEnd; break(): void } {
  const near = new End();
  const far = new End();
  near.other = far;
  far.other = near;
  return {
    near,
    far,
    break() {
      for (const end of [near, far]) for (const listener of end.heardBy) listener.closed();
    },
  };
}

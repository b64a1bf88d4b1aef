import type { Transport } from '@mcp-fittings/client-core';

type Handlers = Pick<Transport, 'onmessage' | 'onerror' | 'onclose'>;

/**
 * Remembers the handlers of the client that uses the connection. Both SDKs set the handlers of a client before they call
 * `start()`, so a second client, whose `start()` rejects, has replaced them by then.
 */
export class HandlerGuard {
  readonly #transport: Handlers;
  #onmessage: Handlers['onmessage'];
  #onerror: Handlers['onerror'];
  #onclose: Handlers['onclose'];

  constructor(transport: Handlers) {
    this.#transport = transport;
  }

  /** Remembers the current handlers. */
  keep(): void {
    const { onmessage, onerror, onclose } = this.#transport;
    this.#onmessage = onmessage;
    this.#onerror = onerror;
    this.#onclose = onclose;
  }

  /** Restores the handlers that {@link keep} has remembered. */
  restore(): void {
    const transport = this.#transport;
    // Not set to undefined, which the contract forbids under `exactOptionalPropertyTypes`.
    if (this.#onmessage === undefined) delete transport.onmessage;
    else transport.onmessage = this.#onmessage;
    if (this.#onerror === undefined) delete transport.onerror;
    else transport.onerror = this.#onerror;
    if (this.#onclose === undefined) delete transport.onclose;
    else transport.onclose = this.#onclose;
  }
}

import type { Transport } from '../contracts/transport.js';

type Handlers = Pick<Transport, 'onmessage' | 'onerror' | 'onclose'>;

/**
 * Knows the handlers of the client whose connection this is. Both SDKs put a client's handlers on a transport before
 * they call `start()`, so a second client whose `start()` is refused has replaced them by then.
 */
export class HandlerGuard {
  readonly #transport: Handlers;
  #onmessage: Handlers['onmessage'];
  #onerror: Handlers['onerror'];
  #onclose: Handlers['onclose'];

  constructor(transport: Handlers) {
    this.#transport = transport;
  }

  /** The handlers that are set now are those of the client in charge. */
  keep(): void {
    const { onmessage, onerror, onclose } = this.#transport;
    this.#onmessage = onmessage;
    this.#onerror = onerror;
    this.#onclose = onclose;
  }

  /** Takes back what was set since {@link keep}. */
  restore(): void {
    const transport = this.#transport;
    // Not set to undefined: under `exactOptionalPropertyTypes` the contract has a handler or none.
    if (this.#onmessage === undefined) delete transport.onmessage;
    else transport.onmessage = this.#onmessage;
    if (this.#onerror === undefined) delete transport.onerror;
    else transport.onerror = this.#onerror;
    if (this.#onclose === undefined) delete transport.onclose;
    else transport.onclose = this.#onclose;
  }
}

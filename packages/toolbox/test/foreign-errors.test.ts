import { AuthRequiredError, type TransportDescription, TransportError } from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
import { expect, it } from 'vitest';

class Refusing extends BaseTransport {
  readonly #where: 'open' | 'write';
  readonly #error: Error;
  constructor(where: 'open' | 'write', error: Error) {
    super({ server: 'refusing' });
    this.#where = where;
    this.#error = error;
  }
  protected override open(): Promise<void> {
    return this.#where === 'open' ? Promise.reject(this.#error) : Promise.resolve();
  }
  protected override write(): Promise<void> {
    return Promise.reject(this.#error);
  }
  protected override shutDown(): Promise<void> {
    return Promise.resolve();
  }
  override describe(): TransportDescription {
    return {};
  }
}

it('hands an AuthRequiredError of write() to the caller of a request unchanged', async () => {
  const error = new AuthRequiredError('sign in');
  await using transport = new Refusing('write', error);
  await transport.start();
  await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toBe(error);
});

it('hands an AuthRequiredError of open() to the caller of start() unchanged', async () => {
  const error = new AuthRequiredError('sign in');
  await using transport = new Refusing('open', error);
  await expect(transport.start()).rejects.toBe(error);
  expect(transport.closeReason?.cause).toBe(error);
});

it.each(['open', 'write'] as const)(
  'an error from %s() that names no server leaves with its name',
  async (where) => {
    for (const error of [new AuthRequiredError('sign in'), new TransportError('CONNECTION_LOST', 'gone')]) {
      await using transport = new Refusing(where, error);
      const failed = transport.start().then(() => transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }));
      await expect(failed).rejects.toBe(error);
      expect(error.server).toBe('refusing');
    }
    const other = new TransportError('CONNECTION_LOST', 'gone', { server: 'another' });
    await using transport = new Refusing(where, other);
    const failed = transport.start().then(() => transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }));
    await expect(failed).rejects.toMatchObject({ server: 'another' });
  },
);

it('still turns any other error into a TransportError with a delivery', async () => {
  await using transport = new Refusing('write', Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  await transport.start();
  await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toMatchObject({
    name: 'TransportError',
    code: 'CONNECTION_LOST',
    delivery: 'unknown',
  });
});

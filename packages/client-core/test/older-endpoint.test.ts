import { AuthRequiredError, FittingsError, TransportError } from '@mcp-fittings/client-core';
import { isOlderEndpoint } from '@mcp-fittings/client-core/transport';
import { describe, expect, it } from 'vitest';

describe('isOlderEndpoint', () => {
  it('is true of a refusal as only an older endpoint gives it', () => {
    expect(isOlderEndpoint(new TransportError('ENDPOINT_INCOMPATIBLE', 'x'))).toBe(true);
    expect(isOlderEndpoint(new FittingsError('ENDPOINT_INCOMPATIBLE', 'x'))).toBe(true);
  });

  it.each([
    ['of credentials', new AuthRequiredError('x')],
    ['of the network', new TransportError('CONNECT_FAILED', 'x')],
    ['of the server', new TransportError('SERVER_ERROR', 'x')],
    ['that is not an error of ours', Object.assign(new Error('x'), { code: 'ENDPOINT_INCOMPATIBLE' })],
    ['that is not an error', 'ENDPOINT_INCOMPATIBLE'],
  ])('is false of a failure %s', (_case, error) => {
    expect(isOlderEndpoint(error)).toBe(false);
  });
});

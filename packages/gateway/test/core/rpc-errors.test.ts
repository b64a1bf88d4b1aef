import { FittingsError } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { toRpcError } from '../../src/surface/rpc-errors.js';

describe('a capability that the client does not declare', () => {
  const error = new FittingsError('CAPABILITY_MISSING', 'The client cannot show pages.', {
    delivery: 'rejected',
    details: { clientCapability: 'elicitation.url' },
  });

  it('is named in the code and data of revision 2026-07-28', () => {
    expect(toRpcError(error, 'modern')).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { elicitation: { url: {} } }, delivery: 'rejected' },
    });
  });

  it('is an unknown method in earlier revisions', () => {
    expect(toRpcError(error, 'legacy')).toMatchObject({ code: -32_601, data: { delivery: 'rejected' } });
  });
});

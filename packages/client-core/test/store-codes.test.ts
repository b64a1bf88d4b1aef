import { ERROR_CODES, FittingsError } from '@mcp-fittings/client-core';
import { expect, it } from 'vitest';

it('has only codes of kind auth for a credential store, as the contract of TokenStore says', () => {
  const codes = Object.entries(ERROR_CODES).filter(([code]) => code.startsWith('STORE_'));
  expect(codes.map(([code]) => code).toSorted()).toEqual([
    'STORE_BUSY',
    'STORE_CORRUPT',
    'STORE_INSECURE',
    'STORE_LOCKED',
    'STORE_LOCK_LOST',
    'STORE_UNAVAILABLE',
    'STORE_VALUE_INVALID',
  ]);
  expect(codes.filter(([, { kind }]) => kind !== 'auth')).toEqual([]);
});

it('tells temporary problems from those that a person has to fix', () => {
  expect(new FittingsError('STORE_BUSY', 'x').retryable).toBe(true);
  expect(new FittingsError('STORE_LOCK_LOST', 'x').retryable).toBe(true);
  expect(new FittingsError('STORE_INSECURE', 'x').retryable).toBe(false);
  expect(new FittingsError('STORE_VALUE_INVALID', 'x').retryable).toBe(false);
});

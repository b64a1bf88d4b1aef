import assert from 'node:assert/strict';
import {
  type Delivery,
  ERROR_CODES,
  type ErrorCode,
  FittingsError,
  TransportError,
} from '@mcp-fittings/client-core';
import { outcomeOf, type Outcome } from './deadline.js';

export interface ExpectedError {
  readonly code?: ErrorCode;
  readonly delivery?: Delivery;
}

const DELIVERIES: readonly unknown[] = ['not-sent', 'rejected', 'unknown'];

/** The shape that every error of a transport has. */
export function assertTransportError(
  error: unknown,
  what: string,
  expected: ExpectedError = {},
): asserts error is TransportError {
  assert.ok(error instanceof TransportError, `${what}: a TransportError, not ${String(error)}`);
  assert.ok(Object.hasOwn(ERROR_CODES, error.code), `${what}: '${error.code}' is in ERROR_CODES`);
  assert.notEqual(error.message, '', `${what}: has a message`);
  if (expected.code !== undefined) assert.equal(error.code, expected.code, `${what}: code`);
  if (expected.delivery !== undefined) assert.equal(error.delivery, expected.delivery, `${what}: delivery`);
}

/** Asserts that the promise rejects with a `FittingsError` that has a known code. */
export async function assertRejects(
  promise: Promise<unknown>,
  what: string,
  code?: ErrorCode,
): Promise<FittingsError> {
  const outcome = await outcomeOf(promise);
  assert.ok(!outcome.ok, `${what} rejects`);
  const { error } = outcome;
  assert.ok(error instanceof FittingsError, `${what}: a FittingsError, not ${String(error)}`);
  assert.ok(Object.hasOwn(ERROR_CODES, error.code), `${what}: '${error.code}' is in ERROR_CODES`);
  if (code !== undefined) assert.equal(error.code, code, `${what}: code`);
  return error;
}

/** A `send` that failed: typed, and it says how far the message got. */
export function assertSendFailed(
  outcome: Outcome,
  what: string,
  expected: ExpectedError = {},
): asserts outcome is { readonly ok: false; readonly error: TransportError } {
  assert.ok(!outcome.ok, `${what}: send() rejects`);
  assertTransportError(outcome.error, what, expected);
  assert.ok(DELIVERIES.includes(outcome.error.delivery), `${what}: has a delivery`);
}

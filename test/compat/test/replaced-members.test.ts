import { expect, it } from 'vitest';
import { replacedMembers } from '../../../scripts/check-transports.mjs';

it.each([
  ['transport.send = (message) => send(message);'],
  ['this.#inner.start = start;'],
  ["wires[0]['close'] = close;"],
  ['transport.setProtocolVersion ??= ignore;'],
  ["Object.defineProperty(transport, 'onmessage', { get });"],
])('npm run check finds a member of a transport that is replaced: %s', (source) => {
  expect(replacedMembers(source)).toHaveLength(1);
});

it.each([
  ['transport.onmessage = (message) => receive(message);'],
  ['this.send = send;'],
  ['if (transport.send === send) return;'],
  ['const send = transport.send.bind(transport);'],
  ['// transport.send = replaced;'],
  ["Object.defineProperty(this, 'sessionId', { get });"],
])('and passes %s', (source) => {
  expect(replacedMembers(source)).toEqual([]);
});

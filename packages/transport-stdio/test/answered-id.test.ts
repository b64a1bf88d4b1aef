import { expect, it } from 'vitest';
import { answeredId } from '../src/wire/answered-id.js';

it.each([
  { head: '{"jsonrpc":"2.0","id":5,"result":{"content":[{"id":7', tail: '', id: 5 },
  { head: ' { "id" : "a\\"b" , "jsonrpc" : "2.0" , "error" : {', tail: '', id: 'a"b' },
  { head: '{"jsonrpc":"2.0","result":{"id":7,', tail: '"id":7}},"id":5}', id: 5 },
  { head: '{"result":{', tail: '}},"id":5,"jsonrpc":"2.0"}\r', id: 5 },
  { head: '{"result":{', tail: '}},"jsonrpc":"2.0","id":"x"}', id: 'x' },
])('finds the id of $head … $tail', ({ head, tail, id }) => {
  expect(answeredId(head, tail)).toBe(id);
});

it.each([
  // A request of the server has ids of its own.
  { head: '{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{', tail: '' },
  { head: '{"jsonrpc":"2.0","id":5,"params":{', tail: '},"method":"x"}' },
  // An id inside of the result is not the message's.
  { head: '{"jsonrpc":"2.0","result":{"id":5', tail: '"id":5}}' },
  { head: '{"result":{"text":"', tail: ',\\"id\\":5}"}}' },
  // The id is cut off.
  { head: '{"jsonrpc":"2.0","id":12', tail: '' },
  { head: '{"jsonrpc":"2.0","id":null,"error":{', tail: '' },
  { head: 'xxxx "id":5,"result":{', tail: '' },
  { head: '[{"id":5,"result":{', tail: '' },
  { head: '', tail: '' },
])('is not sure about $head … $tail', ({ head, tail }) => {
  expect(answeredId(head, tail)).toBeUndefined();
});

import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type {
  Completion,
  ContentBlock,
  PromptResult,
  ResourceContents,
  ResourceResult,
  ToolResult,
} from '../contracts/content.js';

/**
 * Reads the result of `tools/call` as the server sent it, in the same way for all engines. Tolerates what can be understood, because
 * the server has run the tool: a result without content has no content. Throws `PROTOCOL_VIOLATION` for a task, which has not run yet.
 */
export function readToolResult(server: string, raw: JSONRPCObject): ToolResult {
  const { content, structuredContent, isError, _meta } = raw;
  const legacy: unknown = raw['toolResult'];
  const hasStructured = structuredContent !== undefined && structuredContent !== null;
  const rest = {
    ...(hasStructured && { structuredContent }),
    ...(isError !== undefined && isError !== null && { isError: isTrue(isError) }),
    ...(isRecord(_meta) && { _meta }),
  };
  const blocks = blocksOf(content);
  if (blocks !== undefined) return { content: blocks, ...rest };
  // Revision 2024-10-07 had this member instead.
  if (legacy !== undefined && legacy !== null) return { content: [textBlock(legacy)], ...rest };
  if (hasStructured) return { content: [textBlock(structuredContent)], ...rest };
  if (isRecord(raw['task'])) throw without(server, 'tools/call', 'content');
  const others = Object.entries(otherMembers(raw)).filter(
    ([name]) => !(name in rest || OF_ALL_RESULTS.has(name)),
  );
  return { content: others.length === 0 ? [] : [textBlock(Object.fromEntries(others))], ...rest };
}

/** Members that say nothing about the tool. */
const OF_ALL_RESULTS: ReadonlySet<string> = new Set(['_meta', 'cacheScope', 'isError', 'ttlMs']);

/** A failure must not become a success because the server marks it with a value other than `true`. */
function isTrue(value: unknown): boolean {
  return value !== false && value !== 'false' && value !== 0;
}

/** Reads the result of `prompts/get`. */
export function readPromptResult(server: string, raw: JSONRPCObject): PromptResult {
  const { description, messages } = raw;
  if (!Array.isArray(messages)) throw without(server, 'prompts/get', 'messages');
  return {
    ...otherMembers(raw),
    description: typeof description === 'string' ? description : undefined,
    messages: messages.flatMap((message: unknown) => {
      const role = isRecord(message) && message['role'] === 'assistant' ? 'assistant' : 'user';
      const content = isRecord(message) ? message['content'] : message;
      return (blocksOf(content) ?? [unknownBlock(content)]).map(
        (block) => ({ role, content: block }) as const,
      );
    }),
  };
}

/** Reads the result of `resources/read`. Contents without a URI belong to `uri`. */
export function readResourceResult(server: string, uri: string, raw: JSONRPCObject): ResourceResult {
  const { contents } = raw;
  if (!Array.isArray(contents)) throw without(server, 'resources/read', 'contents');
  return { ...otherMembers(raw), contents: contents.map((piece: unknown) => resourceContents(piece, uri)) };
}

/** Reads the result of `completion/complete`. Leaves out values that are not strings, and totals that are not numbers. */
export function readCompletion(server: string, raw: JSONRPCObject): Completion {
  const completion = raw['completion'];
  if (!isRecord(completion) || !Array.isArray(completion['values'])) {
    throw without(server, 'completion/complete', 'completion');
  }
  const { values, total, hasMore } = completion;
  return {
    values: values.filter((value): value is string => typeof value === 'string'),
    total: typeof total === 'number' ? total : undefined,
    hasMore: typeof hasMore === 'boolean' ? hasMore : undefined,
  };
}

function resourceContents(piece: unknown, uri: string): ResourceContents {
  if (!isRecord(piece)) return { uri, text: textOf(piece) };
  const { _meta: meta, ...members } = piece;
  const { mimeType, text, blob } = members;
  const rest = {
    ...members,
    ...(isRecord(meta) && { _meta: meta }),
    uri: typeof piece['uri'] === 'string' ? piece['uri'] : uri,
    mimeType: typeof mimeType === 'string' ? mimeType : undefined,
  };
  if (typeof text === 'string') return { ...rest, text, blob: undefined };
  if (typeof blob === 'string') return { ...rest, text: undefined, blob };
  // Neither member is valid, but what there is may still be useful.
  return { ...rest, text: textOf(text ?? blob ?? piece), blob: undefined };
}

/** Returns `undefined` if there is no content. A string, or one block without an array, counts as an array of one. */
function blocksOf(content: unknown): readonly ContentBlock[] | undefined {
  if (content === undefined || content === null) return undefined;
  return (Array.isArray(content) ? content : [content]).map(blockOf);
}

function blockOf(block: unknown): ContentBlock {
  if (typeof block === 'string') return { type: 'text', text: block };
  return isRecord(block) && isKnown(block) ? block : unknownBlock(block);
}

function isKnown(block: object): block is ContentBlock {
  const { type, text, data, mimeType, resource, uri, name }: Readonly<Record<string, unknown>> = { ...block };
  switch (type) {
    case 'text':
      return typeof text === 'string';
    case 'image':
    case 'audio':
      return typeof data === 'string' && typeof mimeType === 'string';
    case 'resource':
      return isRecord(resource) && typeof resource['uri'] === 'string';
    case 'resource_link':
      return typeof uri === 'string' && typeof name === 'string';
    default:
      return false;
  }
}

function unknownBlock(value: unknown): ContentBlock {
  const declared = isRecord(value) ? value['type'] : undefined;
  return { type: 'unknown', declaredType: typeof declared === 'string' ? declared : undefined, value };
}

const textBlock = (value: unknown): ContentBlock => ({ type: 'text', text: textOf(value) });
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** Returns the other members of a result, such as `_meta`, as they came. `null` counts as absent. */
function otherMembers(raw: JSONRPCObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(raw).filter(([name, value]) => value !== null && name !== 'resultType'),
  );
}

function without(server: string, method: string, member: string): FittingsError {
  return new FittingsError(
    'PROTOCOL_VIOLATION',
    `The server "${server}" answered ${method} without "${member}".`,
    {
      server,
      delivery: 'unknown',
      details: { method },
    },
  );
}

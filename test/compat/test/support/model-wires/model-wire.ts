import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';

/** A call that the model asks for. */
export interface ModelCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The result of a call as it came back to the model. */
export interface ModelCallResult {
  readonly text: string;
  /** Media types of the images. */
  readonly images: readonly string[];
  /** What the field says that marks a failed call; undefined where the API has none. */
  readonly failed?: boolean | undefined;
}

/** What a valid request says. */
export interface ModelRequest {
  readonly tools: readonly string[];
  /** In the order of the calls; empty in the first request. */
  readonly results: readonly ModelCallResult[];
}

/** The wire format of one model API: as little of it as a loop of tool calls needs, as strict as the API is about that. */
export interface ModelWire {
  readonly path: RegExp;
  readonly keyOf: (headers: IncomingHttpHeaders) => unknown;
  /** Throws for what the API answers with 400. */
  read(body: unknown): ModelRequest;
  /** Responses that ask for calls at once, or say something. */
  call(calls: readonly ModelCall[]): object;
  say(text: string): object;
  refuse(message: string): object;
}

/** Fails as a request that the API does not accept. */
export function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Base64 of an image: the APIs decode it. */
export const imageData = z.string().regex(/^[A-Za-z0-9+/]{20,}={0,2}$/);

/** The four types that Anthropic and OpenAI accept. */
export const imageType = z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Anthropic and OpenAI refuse a combination at the root of a schema. */
export const rootSchema = z.looseObject({
  type: z.literal('object'),
  oneOf: z.undefined().optional(),
  anyOf: z.undefined().optional(),
  allOf: z.undefined().optional(),
});

/** Calls `visit` with the schema and all schemas that are properties or items in it. */
export function visitSchemas(
  schema: unknown,
  visit: (schema: Readonly<Record<string, unknown>>) => void,
): void {
  const parsed = z.record(z.string(), z.unknown()).safeParse(schema);
  if (!parsed.success) return;
  visit(parsed.data);
  visitSchemas(parsed.data['items'], visit);
  const properties = z.record(z.string(), z.unknown()).safeParse(parsed.data['properties']);
  for (const each of Object.values(properties.data ?? {})) visitSchemas(each, visit);
}

export const bearerKey = ({ authorization }: IncomingHttpHeaders): unknown =>
  authorization?.replace(/^Bearer /, '');

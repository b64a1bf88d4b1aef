import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import type { CommandContext } from '../command-context.js';

/** A text given as it is, as `@file`, or as `-` for stdin. */
export async function readTextArgument(text: string, context: CommandContext): Promise<string> {
  if (text === '-') return readAll(context.stdin);
  if (!text.startsWith('@')) return text;
  try {
    return await readFile(resolve(context.cwd, text.slice(1)), 'utf8');
  } catch (cause) {
    throw new FittingsError('ARGUMENTS_INVALID', `Cannot read the file "${text.slice(1)}".`, { cause });
  }
}

async function readAll(stream: CommandContext['stdin']): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array | string));
  return Buffer.concat(chunks).toString('utf8');
}

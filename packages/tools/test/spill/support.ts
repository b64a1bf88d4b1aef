import type { ToolResult } from '@mcp-fittings/host';
import type { LastToolEvent } from '../../src/calls/toolset.js';
import { createTools, type Tools, type ToolsOptions } from '../../src/create-tools.js';
import type { RenderedPart } from '../../src/results/rendering.js';
import { createSpill, memorySpillStore, type Spill, type SpillOptions } from '../../src/spill.js';
import { fakeHost, tool } from '../support/fake-host.js';

export const NO_SIGNAL = new AbortController().signal;

/** A tool "big" that returns this result, and tools that keep it. */
export function spilling(
  result: ToolResult | (() => ToolResult),
  spillOptions: Partial<SpillOptions> = {},
  toolsOptions: ToolsOptions = {},
): {
  readonly spill: Spill;
  readonly tools: Tools;
  readonly big: () => Promise<LastToolEvent>;
  readonly read: (args: object) => Promise<LastToolEvent>;
} {
  const spill = createSpill({
    store: memorySpillStore(),
    maxCharacters: 1_000,
    previewCharacters: 100,
    ...spillOptions,
  });
  const host = fakeHost([tool('big'), tool('small')], () =>
    Promise.resolve(typeof result === 'function' ? result() : result),
  );
  const tools = createTools(host, { defaultPermission: 'allow', spill, ...toolsOptions });
  return {
    spill,
    tools,
    big: () => tools.snapshot().run('mcp__s__big', {}),
    read: (args) => tools.snapshot().run('read_result', args),
  };
}

/** Fails the test unless the result was kept. */
export function referenceOf(event: LastToolEvent): string {
  if (event.type !== 'result' || event.spilled === undefined)
    throw new Error(`not kept: ${JSON.stringify(event.rendering.text).slice(0, 500)}`);
  return event.spilled.reference;
}

export const textPart = (part: RenderedPart | undefined): string => (part?.type === 'text' ? part.text : '');

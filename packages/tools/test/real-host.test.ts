import { createHost, type Host } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolEvent } from '../src/calls/toolset.js';
import { renderForTerminal } from '../src/results/render-result.js';
import { createTools, type Tools } from '../src/create-tools.js';
import { binaryOf } from './support/installed-program.js';

describe('with a real host and a real server', () => {
  let host: Host;
  let tools: Tools;

  beforeAll(async () => {
    host = createHost({ name: 'tools-test', version: '1.0.0', transports: [stdio()] });
    await host.connect({
      everything: {
        command: process.execPath,
        args: [binaryOf('@modelcontextprotocol/server-everything')],
      },
    });
    tools = createTools(host, { defaultPermission: 'allow' });
  });

  afterAll(async () => {
    await tools[Symbol.asyncDispose]();
    await host.close();
  });

  async function events(name: string, args?: object): Promise<readonly ToolEvent[]> {
    const all: ToolEvent[] = [];
    for await (const event of tools.snapshot().call(name, args)) all.push(event);
    return all;
  }
  async function last(name: string, args?: object): Promise<ToolEvent> {
    return (await events(name, args)).at(-1) ?? expect.unreachable();
  }

  it('progress and result of a long operation', async () => {
    const all = await events('mcp__everything__trigger-long-running-operation', { duration: 0.4, steps: 4 });
    const numbers = all.flatMap((event) => (event.type === 'progress' ? [event.progress] : []));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers).toContain(4);
    expect(all.at(-1)).toMatchObject({ type: 'result', rendering: { isError: false } });
  });

  it('an image is a part for the model and a line of text for the user', async () => {
    const event = await last('mcp__everything__get-tiny-image');
    if (event.type !== 'result') return expect.unreachable();
    expect(event.rendering.parts.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
    expect(renderForTerminal(event.result)).toMatch(/\[image\/png, \d/);
  });

  it('resources, links and structured content', async () => {
    const link = await last('mcp__everything__get-resource-links', { count: 2 });
    expect(link).toMatchObject({ rendering: { text: expect.stringMatching(/\[link to .*: demo:\/\//) } });
    const resource = await last('mcp__everything__get-resource-reference', {
      resourceType: 'Text',
      resourceId: 1,
    });
    expect(resource).toMatchObject({ rendering: { text: expect.stringContaining('[resource demo://') } });
    const structured = await last('mcp__everything__get-structured-content', { location: 'Chicago' });
    expect(structured).toMatchObject({ type: 'result', issues: [] });
    if (structured.type === 'result') expect(structured.rendering.text.match(/humidity/g)).toHaveLength(1);
  });

  it('leaving the loop cancels the request, and the next call works', async () => {
    for await (const event of tools.snapshot().call('mcp__everything__trigger-long-running-operation', {
      duration: 60,
      steps: 600,
    })) {
      expect(event.type).toBe('progress');
      break;
    }
    expect(await last('mcp__everything__get-sum', { a: 1, b: 2 })).toMatchObject({
      rendering: { text: expect.stringContaining('3') },
    });
  });
});

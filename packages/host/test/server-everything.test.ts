import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ElicitationRequest, Host, LogEntry, Progress } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { officialServer } from '../../../scripts/bundled.mjs';
import { testHost } from './support/calculator.js';

const everything = await officialServer('everything');

/** Resolves with the next event that fits. */
function next<Name extends Parameters<Host['on']>[0]>(host: Host, name: Name): Promise<unknown> {
  return new Promise((resolve) => {
    const subscription = host.on(name, (event) => {
      subscription[Symbol.dispose]();
      resolve(event);
    });
  });
}

describe('the real server-everything', () => {
  let host: Host;
  const asked: ElicitationRequest[] = [];
  const errors: unknown[] = [];
  const logs: LogEntry[] = [];

  beforeAll(async () => {
    host = testHost([stdio()], {
      callbacks: {
        elicit: async (request) => {
          asked.push(request);
          return { action: 'accept', content: { name: 'Ann' } };
        },
        sample: async () => ({
          role: 'assistant',
          model: 'scripted',
          content: { type: 'text', text: 'a sample' },
        }),
        roots: async () => [{ uri: 'file:///work', name: 'work' }],
      },
    });
    host.on('error', ({ error }) => errors.push(error));
    host.on('log', (entry) => logs.push(entry));
    await host.connect({ all: { command: process.execPath, args: [everything, 'stdio'] } });
  });
  afterAll(async () => {
    await host.close();
    expect(errors).toEqual([]);
  });

  it('fills the catalog with every kind of list', () => {
    expect(host.server('all').state).toMatchObject({
      status: 'connected',
      connection: { protocolVersion: '2025-11-25', instructions: expect.stringContaining('Everything') },
    });
    expect(host.tools().map(({ name }) => name)).toContain('trigger-elicitation-request');
    expect(host.prompts().map(({ name }) => name)).toContain('completable-prompt');
    expect(host.resources().length).toBeGreaterThan(3);
    expect(host.resourceTemplates()).toHaveLength(2);
  });

  it('reads text and binary resources', async () => {
    const text = await host.readResource({ server: 'all', uri: 'demo://resource/dynamic/text/1' });
    expect(text.contents[0]).toMatchObject({ text: expect.stringContaining('Resource 1') });
    const blob = await host.readResource({ server: 'all', uri: 'demo://resource/dynamic/blob/1' });
    expect(Buffer.from(blob.contents[0]?.blob ?? '', 'base64').toString()).toContain('Resource 1');
  });

  it('reports updates of a subscribed resource until it unsubscribes', async () => {
    const uri = 'demo://resource/dynamic/text/1';
    await host.subscribe({ server: 'all', uri });
    const updated = next(host, 'resourceUpdated');
    await host.callTool({ server: 'all', tool: 'toggle-subscriber-updates' });
    expect(await updated).toEqual({ server: 'all', uri });
    await host.callTool({ server: 'all', tool: 'toggle-subscriber-updates' });
    await host.unsubscribe({ server: 'all', uri });
  });

  it('gets prompts and completes their arguments', async () => {
    const prompt = await host.getPrompt({ server: 'all', prompt: 'args-prompt' }, { city: 'Oslo' });
    expect(prompt.messages[0]).toMatchObject({
      role: 'user',
      content: { text: expect.stringContaining('Oslo') },
    });
    const completion = await host.complete({
      server: 'all',
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    expect(completion.values).toContain('Engineering');
  });

  it('answers a form and a URL', async () => {
    const form = await host.callTool({ server: 'all', tool: 'trigger-elicitation-request' });
    expect(JSON.stringify(form.content)).toContain('Ann');
    expect(asked.at(-1)).toMatchObject({ mode: 'form', schema: { type: 'object' } });
    await host.callTool(
      { server: 'all', tool: 'trigger-url-elicitation' },
      { url: 'https://example.com/consent' },
    );
    expect(asked.at(-1)).toMatchObject({ mode: 'url', url: expect.stringContaining('https://example.com/') });
  });

  it('asks for the page of a refused call, and sends the call again', async () => {
    const before = asked.length;
    const { content } = await host.callTool(
      { server: 'all', tool: 'trigger-url-elicitation' },
      { url: 'https://example.com/first', elicitationId: 'first', errorPath: true },
    );
    // Once for the refusal (-32042), and once because the tool asks by a request when it is called again.
    expect(asked.slice(before)).toMatchObject([
      { mode: 'url', elicitationId: expect.any(String) },
      { mode: 'url', url: expect.stringContaining('https://example.com/first') },
    ]);
    expect(JSON.stringify(content)).toContain('accept');
  });

  it('calls a tool that its server runs only as a task, and answers what the task asks', async () => {
    const before = asked.length;
    const { content } = await host.callTool(
      { server: 'all', tool: 'simulate-research-query' },
      { topic: 'python', ambiguous: true },
    );
    expect(JSON.stringify(content)).toContain('# Research Report: python');
    expect(asked.slice(before)).toMatchObject([{ mode: 'form' }]);
  });

  it('answers sampling and roots requests', async () => {
    const sample = await host.callTool(
      { server: 'all', tool: 'trigger-sampling-request' },
      { prompt: 'say', maxTokens: 10 },
    );
    expect(JSON.stringify(sample.content)).toContain('a sample');
    const roots = await host.callTool({ server: 'all', tool: 'get-roots-list' });
    expect(JSON.stringify(roots.content)).toContain('file:///work');
    await host.rootsChanged();
  });

  it('passes log messages on with the name of the server', async () => {
    await host.setLogLevel('all', 'debug');
    const logged = next(host, 'log');
    await host.callTool({ server: 'all', tool: 'toggle-simulated-logging' });
    expect(await logged).toMatchObject({ server: 'all', data: expect.anything() });
    await host.callTool({ server: 'all', tool: 'toggle-simulated-logging' });
  });

  it('reports progress', async () => {
    const steps: Progress[] = [];
    const result = await host.callTool(
      { server: 'all', tool: 'trigger-long-running-operation' },
      { duration: 0.2, steps: 4 },
      { onProgress: (progress) => steps.push(progress) },
    );
    expect(steps.map(({ progress }) => progress)).toEqual([1, 2, 3, 4]);
    expect(result.isError).toBeFalsy();
  });

  it('passes every kind of content on', async () => {
    const image = await host.callTool({ server: 'all', tool: 'get-tiny-image' });
    expect(image.content.map(({ type }) => type)).toContain('image');
    const links = await host.callTool({ server: 'all', tool: 'get-resource-links' }, { count: 2 });
    expect(links.content.filter(({ type }) => type === 'resource_link')).toHaveLength(2);
    const structured = await host.callTool(
      { server: 'all', tool: 'get-structured-content' },
      { location: 'Chicago' },
    );
    expect(structured.structuredContent).toMatchObject({ conditions: expect.any(String) });
  });
});

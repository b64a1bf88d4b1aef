import { describe, expect, it, onTestFinished } from 'vitest';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { App as View } from '@modelcontextprotocol/ext-apps';
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';
import { createApps, toAppResult, type AppsOptions } from '@mcp-fittings/apps';
import { createWorld, HTML } from './support/weather.js';

/** The real `AppBridge` and the real `App`, with the handlers of this package between them. */
async function openView(options: AppsOptions) {
  const world = await createWorld();
  const apps = createApps(world.host, options);
  const app = await apps.app({ server: 'weather', tool: 'forecast' });
  const bridge = new AppBridge(null, { name: 'apps-test', version: '1.0.0' }, app.hostCapabilities);
  // One by one, so that the compiler compares the types; Object.assign would accept anything.
  bridge.oncalltool = app.handlers.oncalltool;
  bridge.onreadresource = app.handlers.onreadresource;
  bridge.onopenlink = app.handlers.onopenlink;
  const view = new View({ name: 'view', version: '1.0.0' }, {}, { autoResize: false });
  const shown = new Promise((resolve) => {
    view.ontoolresult = resolve;
  });
  const [hostSide, viewSide] = InMemoryTransport.createLinkedPair();
  await bridge.connect(hostSide);
  await view.connect(viewSide);
  onTestFinished(async () => {
    await view.close();
    await bridge.close();
    await apps.close();
    await world[Symbol.asyncDispose]();
  });
  return { ...world, app, bridge, view, shown };
}

describe('the real AppBridge', () => {
  it('accepts the handlers, the capabilities and the results, and a real view uses them', async () => {
    const { app, bridge, view, host, shown } = await openView({ defaultPermission: 'allow' });
    expect(view.getHostCapabilities()).toEqual(app.hostCapabilities);
    expect(await view.callServerTool({ name: 'refresh', arguments: { place: 'Rome' } })).toMatchObject({
      content: [{ type: 'text', text: 'refresh of weather' }],
      structuredContent: { celsius: 21 },
    });
    expect((await view.readServerResource({ uri: 'weather://stations' })).contents).toMatchObject([
      { text: '[7]' },
    ]);
    expect(await view.openLink({ url: 'https://a.example' })).toEqual({ isError: true });

    await bridge.sendToolInput({ arguments: { place: 'Rome' } });
    await bridge.sendToolResult(toAppResult(await host.callTool(app.tool, { place: 'Rome' })));
    expect(await shown).toMatchObject({
      structuredContent: { celsius: 21 },
      _meta: { 'weather/station': 7 },
    });
  });

  it('tells the view why a request is refused', async () => {
    const { view, asked } = await openView({});
    await expect(view.callServerTool({ name: 'launch' })).rejects.toThrow('offers this tool to models');
    await expect(view.callServerTool({ name: 'transfer' })).rejects.toThrow('has no tool of this name');
    await expect(view.callServerTool({ name: 'refresh' })).rejects.toThrow('requires confirmation');
    expect(asked).toHaveLength(1);
  });

  it('aborts the call at the server if the view cancels it', async () => {
    const { view, asked } = await openView({ defaultPermission: 'allow' });
    const cancel = new AbortController();
    const call = view.callServerTool({ name: 'slow' }, { signal: cancel.signal });
    await expect.poll(() => asked).toContain('weather slow');
    cancel.abort();
    await expect(call).rejects.toThrow('aborted');
    await expect.poll(() => asked).toContain('weather slow aborted');
  });

  it('accepts what the sandbox gets', async () => {
    const { app, bridge } = await openView({});
    const [side, sandbox] = InMemoryTransport.createLinkedPair();
    const messages: unknown[] = [];
    sandbox.onmessage = (message) => void messages.push(message);
    await bridge.close();
    await bridge.connect(side);
    await sandbox.start();
    await bridge.sendSandboxResourceReady(app.sandboxResource);
    const params = {
      html: HTML,
      csp: { connectDomains: ['https://api.weather.example'] },
      permissions: { geolocation: {} },
    };
    expect(messages).toMatchObject([{ method: 'ui/notifications/sandbox-resource-ready', params }]);
  });

  it('gets all blocks that it knows, and no others', () => {
    const { content } = toAppResult({
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: 'AA==', mimeType: 'image/png' },
        { type: 'unknown', declaredType: 'video', value: {} },
        { type: 'resource_link', uri: 'a:b', name: 'b', mimeType: undefined },
        { type: 'resource', resource: { uri: 'a:c', blob: 'AA==', text: undefined } },
      ],
    });
    expect(content).toStrictEqual([
      { type: 'text', text: 'a' },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'a:b', name: 'b' },
      { type: 'resource', resource: { uri: 'a:c', blob: 'AA==' } },
    ]);
  });
});

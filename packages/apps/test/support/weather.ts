import { createHost, type Host } from '@mcp-fittings/host';
import { appsExtension } from '@mcp-fittings/apps';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import {
  RESOURCE_MIME_TYPE,
  registerAppResource,
  registerAppTool,
} from '@modelcontextprotocol/ext-apps/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export const APP = 'ui://weather/dashboard.html';
/** The app of the tool `map`. */
export const LISTED_APP = 'ui://weather/map.html';
export const HTML = '<!doctype html><title>Weather</title>';

/** What the servers of a test were asked, as `server method target`. */
export type Asked = string[];

export interface World extends AsyncDisposable {
  readonly host: Host;
  readonly asked: Asked;
  /** The client capabilities that each server saw. */
  readonly seen: unknown[];
}

/** A host with two servers, `weather` and `bank`, on the official SDK v2 and the official helpers for apps. */
export async function createWorld(): Promise<World> {
  const asked: Asked = [];
  const seen: unknown[] = [];
  const host = createHost({
    name: 'apps-test',
    version: '1.0.0',
    extensions: appsExtension(),
    transports: [
      inprocess({
        servers: { weather: () => weatherServer('weather', asked, seen), bank: () => bankServer(asked) },
      }),
    ],
  });
  await host.connect({ weather: { type: 'sdk' }, bank: { type: 'sdk' } });
  return { host, asked, seen, [Symbol.asyncDispose]: () => host.close() };
}

function weatherServer(name: string, asked: Asked, seen: unknown[]): McpServer {
  const server = new McpServer({ name, version: '1.0.0' });
  server.server.oninitialized = () => void seen.push(server.server.getClientCapabilities());
  const answer = (tool: string) => (args: object) => {
    asked.push(`${name} ${tool} ${JSON.stringify(args)}`);
    return {
      content: [{ type: 'text' as const, text: `${tool} of ${name}` }],
      structuredContent: { celsius: 21 },
      _meta: { 'weather/station': 7 },
    };
  };
  const ui = { resourceUri: APP };
  const place = { inputSchema: z.object({ place: z.string().optional() }) };
  registerAppTool(server, 'forecast', { ...place, _meta: { ui } }, answer('forecast'));
  const appOnly = { ui: { ...ui, visibility: ['app'] as 'app'[] } };
  registerAppTool(server, 'refresh', { ...place, _meta: appOnly }, answer('refresh'));
  const modelOnly = { ui: { ...ui, visibility: ['model'] as 'model'[] } };
  registerAppTool(server, 'launch', { ...place, _meta: modelOnly }, answer('launch'));
  server.registerTool('odd', { inputSchema: z.looseObject({ $place: z.string() }) }, answer('odd'));
  server.registerTool('plain', { _meta: { ui: { resourceUri: 'https://weather.example/app' } } }, () => ({
    content: [],
  }));
  const waiting = { _meta: { 'ui/resourceUri': APP } };
  server.registerTool('slow', waiting, (context) => {
    asked.push(`${name} slow`);
    return new Promise((resolve) => {
      context.mcpReq.signal.addEventListener('abort', () => {
        asked.push(`${name} slow aborted`);
        resolve({ content: [] });
      });
    });
  });
  const csp = { connectDomains: ['https://api.weather.example', '*'] };
  registerAppResource(server, 'dashboard', APP, {}, () => {
    asked.push(`${name} read ${APP}`);
    const meta = { ui: { csp, permissions: { geolocation: {} }, prefersBorder: true } };
    return { contents: [{ uri: APP, mimeType: RESOURCE_MIME_TYPE, text: HTML, _meta: meta }] };
  });
  // Its metadata is in the list only.
  const listed = { _meta: { ui: { csp, prefersBorder: false } } };
  registerAppTool(server, 'map', { ...place, _meta: { ui: { resourceUri: LISTED_APP } } }, answer('map'));
  registerAppResource(server, 'map', LISTED_APP, listed, () => ({
    contents: [{ uri: LISTED_APP, mimeType: RESOURCE_MIME_TYPE, text: HTML }],
  }));
  server.registerResource('stations', 'weather://stations', { mimeType: 'application/json' }, () => {
    asked.push(`${name} read weather://stations`);
    return { contents: [{ uri: 'weather://stations', mimeType: 'application/json', text: '[7]' }] };
  });
  return server;
}

function bankServer(asked: Asked): McpServer {
  const server = new McpServer({ name: 'bank', version: '1.0.0' });
  server.registerTool('transfer', {}, () => {
    asked.push('bank transfer');
    return { content: [] };
  });
  server.registerResource('balance', 'bank://balance', {}, () => {
    asked.push('bank read bank://balance');
    return { contents: [{ uri: 'bank://balance', text: '1000' }] };
  });
  return server;
}

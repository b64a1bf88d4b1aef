import { FittingsError, type Logger } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { escapeText } from '@mcp-fittings/toolbox/text';
import type { CallOptions, CatalogTool, ToolRef } from '@mcp-fittings/host';
import { createToolPolicy, type ToolsOptions } from '@mcp-fittings/tools';
import { AppRequests, type AppHandlers, type AppQuestion, type AppsHost } from './app-handlers.js';
import type { AppCsp } from './app-domains.js';
import type { AppPermissions } from './app-permissions.js';
import { isAppUri, readApp, showUri, type AppResource, type ReadAppOptions } from './read-app.js';

/** Options of {@link createApps}. Share `policy` and `pins` with `createTools()`, so that one approval counts for both. */
export interface AppsOptions
  extends
    ReadAppOptions,
    Pick<
      ToolsOptions,
      | 'principal'
      | 'policy'
      | 'pins'
      | 'defaultPermission'
      | 'confirm'
      | 'validateArguments'
      | 'schemaLimits'
      | 'listLimits'
      | 'valueLimits'
    > {
  /**
   * Asks the user whether an app may read a resource of its server. Without it, a reading that requires confirmation fails with
   * `APPROVAL_REQUIRED`. `ui://` resources need no confirmation.
   */
  readonly confirmRead?: ((request: AppQuestion & { readonly uri: string }) => Promise<boolean>) | undefined;
  /**
   * Asks the user whether to open a link, and opens it in the browser of the user. Resolves with false if the user declines. `url` is an
   * `http:` or `https:` URL without credentials. Without it, {@link AppHandlers.onopenlink} refuses every link.
   */
  readonly openLink?: ((request: AppQuestion & { readonly url: URL }) => Promise<boolean>) | undefined;
  /** Maximum number of requests of one app that are under way, questions to the user included. Further ones are refused. Default 8. */
  readonly maxParallelRequests?: number | undefined;
  /** Receives the policy of each app that is opened, and every request of an app. Default: none. */
  readonly logger?: Logger | undefined;
}

/** The apps of the servers of a host. */
export interface Apps extends AsyncDisposable {
  /**
   * Returns the URI of the app that shows the results of a tool, or `undefined`. A URI that does not begin with `ui://` does not
   * count.
   */
  uriOf(tool: Pick<CatalogTool, '_meta'>): string | undefined;
  /**
   * Reads the app of a tool from the tool's server and checks it. Each call returns another {@link App}, for one frame.
   *
   * Rejects with `TOOL_UNKNOWN` if the host does not list the tool, `CAPABILITY_MISSING` if the tool has no app,
   * `PROTOCOL_VIOLATION` or `MESSAGE_TOO_LARGE` if the resource is not an app or is too large, `POLICY_DENIED` if the policy denies
   * the resource, and as `host.readResource()` does.
   */
  app(tool: ToolRef, options?: Pick<CallOptions, 'signal' | 'timeoutMs'>): Promise<App>;
  /** Closes all apps. `await using` does the same. */
  close(): Promise<void>;
}

/** An app that may be shown in one frame, and what it may ask of the host. Close it when the frame is removed. */
export interface App extends AppResource, Disposable {
  /** The tool whose results the app shows. */
  readonly tool: ToolRef;
  /**
   * Answers to requests of the app, named as the members of `AppBridge`: `Object.assign(bridge, app.handlers)`.
   */
  readonly handlers: AppHandlers;
  /**
   * Capabilities that the host offers to the app, for the constructor of `AppBridge`: the part of `McpUiHostCapabilities` of
   * `@modelcontextprotocol/ext-apps` that this package provides. Add what your own handlers offer.
   */
  readonly hostCapabilities: {
    /** Apps may call tools of their server. */
    serverTools: Record<string, never>;
    /** Apps may read resources of their server. */
    serverResources: Record<string, never>;
    /** Apps may ask to open links; absent without `openLink`. */
    openLinks?: Record<string, never>;
    /** Permissions that the sandbox gives to the app. */
    sandbox: { csp: AppCsp; permissions: AppPermissions };
  };
  /** The parameters of `sendSandboxResourceReady()` of `AppBridge`. */
  readonly sandboxResource: { html: string; csp: AppCsp; permissions: AppPermissions };
  /** Aborts the requests of the app, and refuses further ones. */
  close(): void;
}

/**
 * Makes the apps of all servers of a host available to a program that shows them (MCP Apps, revision 2026-01-26). The program brings the
 * frames, and `AppBridge` of `@modelcontextprotocol/ext-apps` or another implementation of the messages. Declare
 * {@link appsExtension} as `extensions` of the host, so that servers offer their apps.
 * @param host The host whose servers have the apps. It stays open when the apps are closed.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 * @example
 * ```ts
 * const apps = createApps(host, { policy, confirm });
 * const app = await apps.app({ server: 'weather', tool: 'forecast' });
 * response.setHeader('Content-Security-Policy', app.contentSecurityPolicy); // of the sandbox page
 *
 * const bridge = new AppBridge(null, { name: 'my-agent', version: '1.0.0' }, app.hostCapabilities);
 * Object.assign(bridge, app.handlers);
 * bridge.onsandboxready = () => void bridge.sendSandboxResourceReady(app.sandboxResource);
 * await bridge.connect(transport);
 * ```
 */
export function createApps(host: AppsHost, options: AppsOptions = {}): Apps {
  const own = options.principal === undefined ? host : hostOf(host, options.principal);
  const { policy = createToolPolicy(), logger } = options;
  /** Open apps, and what answers each. */
  const opened = new Map<App, AppRequests>();
  let closed = false;

  const apps: Apps = {
    uriOf: appUriOf,
    async app(ref, callOptions = {}) {
      if (closed) throw closedError();
      const tool = own.tool(ref);
      const shown = `"${escapeText(ref.tool, { maxLength: 128 })}" of the server "${escapeText(ref.server, { maxLength: 128 })}"`;
      const { server } = ref;
      if (tool === undefined) {
        throw new FittingsError('TOOL_UNKNOWN', `The host does not list the tool ${shown}.`, { server });
      }
      const uri = appUriOf(tool);
      if (uri === undefined) {
        throw new FittingsError('CAPABILITY_MISSING', `The tool ${shown} has no app.`, {
          server,
          hint: 'Show its result as text.',
        });
      }
      const identity = identityOf(own, server);
      const verdict = policy.forResource({ server, uri });
      if (verdict.decision === 'deny') {
        throw new FittingsError(
          'POLICY_DENIED',
          `The policy denies the app "${showUri(uri)}": ${verdict.reason}`,
          {
            server,
            delivery: 'not-sent',
          },
        );
      }
      const result = await own.readResource({ server, uri }, callOptions);
      const listing = own.resources().find((each) => each.server === server && each.uri === uri);
      const resource = readApp(uri, result, options, { server, listing });
      if (closed) throw closedError();
      logger?.info(`Opened the app "${showUri(uri)}".`, {
        server,
        digest: resource.digest,
        contentSecurityPolicy: resource.contentSecurityPolicy,
        allow: resource.allow,
        refused: resource.refused,
      });
      const { csp, permissions, html } = resource;
      const requests = new AppRequests(resource.uri, {
        host: own,
        server,
        isSameServer: () => identityOf(own, server) === identity,
        options: { ...options, policy },
      });
      const app: App = {
        ...resource,
        tool: { server, tool: ref.tool },
        handlers: requests.handlers,
        hostCapabilities: {
          serverTools: {},
          serverResources: {},
          ...(options.openLink !== undefined && { openLinks: {} }),
          sandbox: { csp, permissions },
        },
        sandboxResource: { html, csp, permissions },
        close() {
          opened.delete(app);
          void requests.close();
        },
        [Symbol.dispose]: () => app.close(),
      };
      opened.set(app, requests);
      return app;
    },
    async close() {
      closed = true;
      const closing = [...opened.values()].map((requests) => requests.close());
      opened.clear();
      await Promise.all(closing);
    },
    [Symbol.asyncDispose]: () => apps.close(),
  };
  return apps;
}

/**
 * Reads `_meta.ui.resourceUri`, or the deprecated `_meta["ui/resourceUri"]`.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (Resource Discovery)
 */
function appUriOf({ _meta: meta }: Pick<CatalogTool, '_meta'>): string | undefined {
  if (!isRecord(meta)) return undefined;
  const uri = (isRecord(meta['ui']) ? meta['ui']['resourceUri'] : undefined) ?? meta['ui/resourceUri'];
  return isAppUri(uri) ? uri : undefined;
}

/** Returns the part of a host that belongs to one person. */
function hostOf(host: AppsHost, principal: string): AppsHost {
  return {
    tools: () => host.tools({ principal }),
    tool: (ref) => host.tool(ref, { principal }),
    servers: () => host.servers({ principal }),
    resources: () => host.resources({ principal }),
    callTool: (ref, args, options) => host.callTool(ref, args, { ...options, principal }),
    readResource: (ref, options) => host.readResource(ref, { ...options, principal }),
  };
}

function identityOf(host: AppsHost, server: string): string | undefined {
  return host.servers().find(({ name }) => name === server)?.identity;
}

function closedError(): FittingsError {
  return new FittingsError('ABORTED', 'The apps have been closed.', { delivery: 'not-sent' });
}

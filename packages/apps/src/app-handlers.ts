import { FittingsError, type Logger } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/toolbox/text';
import { abortable, linkSignal } from '@mcp-fittings/toolbox/timing';
import {
  createTools,
  toolVisibility,
  type ToolHost,
  type ToolPermission,
  type ToolPolicy,
  type ToolsOptions,
} from '@mcp-fittings/tools';
import type { CallOptions, CatalogResource, PrincipalOptions, ResourceResult } from '@mcp-fittings/host';
import { toAppResult, toContents, type AppReadResult, type AppToolResult } from './app-result.js';
import { isAppUri, showUri, type AppResource } from './read-app.js';

/** The part of a host that `createApps` uses. `createHost` of `@mcp-fittings/host` returns one. */
export interface AppsHost extends ToolHost {
  /** Returns the resources that servers list. Without it, the metadata of a listed resource does not count. */
  readonly resources?:
    | ((options?: PrincipalOptions) => readonly Pick<CatalogResource, 'server' | 'uri' | '_meta'>[])
    | undefined;
  /** Reads a resource. Rejects with a `FittingsError`. */
  readResource(
    ref: { readonly server: string; readonly uri: string },
    options?: CallOptions,
  ): Promise<ResourceResult>;
}

/** The signal of a request of an app: `extra` of `AppBridge` with SDK v2 (`mcpReq`) or SDK v1. */
export interface AppRequestExtra {
  /** SDK v1. */
  readonly signal?: AbortSignal | undefined;
  /** SDK v2. */
  readonly mcpReq?: { readonly signal?: AbortSignal | undefined } | undefined;
}

/**
 * Answers to requests of one app. The names and types are those of `AppBridge` of `@modelcontextprotocol/ext-apps`. Each rejects
 * with a `FittingsError`, whose message `AppBridge` returns to the app as a JSON-RPC error: `CALLBACK_FAILED` if a callback of the host
 * threw, `ABORTED` if the app or the host ended the request.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (Standard MCP Messages)
 */
export interface AppHandlers {
  /**
   * Calls a tool of the app's own server, if its `visibility` has `"app"` and the policy or the user allows it. Rejects with
   * `TOOL_UNKNOWN`, `POLICY_DENIED`, `APPROVAL_REQUIRED`, `ARGUMENTS_INVALID`, and as `host.callTool()` does.
   */
  readonly oncalltool: (
    params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> | undefined },
    extra?: AppRequestExtra,
  ) => Promise<AppToolResult>;
  /**
   * Reads a resource of the app's own server, if the policy or the user allows it. Rejects with `POLICY_DENIED`,
   * `APPROVAL_REQUIRED`, and as `host.readResource()` does.
   */
  readonly onreadresource: (
    params: { readonly uri: string },
    extra?: AppRequestExtra,
  ) => Promise<AppReadResult>;
  /**
   * Passes a link to `openLink` of the options. `isError: true` if it is not a valid `http:` or `https:` URL, or was declined.
   */
  readonly onopenlink: (
    params: { readonly url: string },
    extra?: AppRequestExtra,
  ) => Promise<{ isError?: boolean }>;
}

/** A question to the user because an app asks for something. */
export interface AppQuestion {
  /** Name of the app's server in the host. */
  readonly server: string;
  /** URI of the app. */
  readonly app: string;
  /** The whole question, escaped so that it hides nothing. */
  readonly text: string;
  /** Aborted when the request is. The answer is then ignored. */
  readonly signal: AbortSignal;
}

/** Asks the user whether an app may read a resource. */
export type ConfirmRead = (request: AppQuestion & { readonly uri: string }) => Promise<boolean>;

/**
 * Asks the user whether to open a link, and opens it. Resolves with false if the user declines. `url` is an `http:` or `https:` URL
 * without credentials.
 */
export type OpenLink = (request: AppQuestion & { readonly url: URL }) => Promise<boolean>;

/** What the handlers of one app use. */
export interface AppHandlersDeps {
  readonly host: AppsHost;
  readonly server: string;
  /** Whether the server still is the one from which the app came: another entry may have its name by now. */
  readonly isSameServer: () => boolean;
  readonly policy: ToolPolicy;
  readonly toolsOptions: ToolsOptions;
  readonly defaultPermission: ToolPermission;
  readonly confirmRead: ConfirmRead | undefined;
  readonly openLink: OpenLink | undefined;
  readonly maxParallelRequests: number;
  readonly logger: Logger | undefined;
}

type RefusalCode = 'APPROVAL_REQUIRED' | 'ARGUMENTS_INVALID' | 'POLICY_DENIED' | 'TOOL_UNKNOWN';

const MAX_URI_LENGTH = 8_192;

/** Creates the handlers of one app. `close` aborts what is under way and refuses further requests. */
export function createAppHandlers(
  { uri: app }: AppResource,
  deps: AppHandlersDeps,
): { readonly handlers: AppHandlers; readonly close: () => Promise<void> } {
  const { host, server, policy, logger } = deps;
  const { confirm } = deps.toolsOptions;
  const closing = new AbortController();
  let underWay = 0;

  const refuse = (code: RefusalCode, why: string): FittingsError =>
    new FittingsError(code, why, { server, delivery: 'not-sent' });

  const replaced = (): FittingsError =>
    refuse('POLICY_DENIED', 'The server of this app was replaced by another one of the same name.');
  const name = `The app "${showUri(app)}" of the server "${escapeText(server, { maxLength: 128 })}"`;
  const tools = createTools(ownServer(host, server, deps.isSameServer, replaced), {
    ...deps.toolsOptions,
    includeAppTools: true,
    confirm:
      confirm &&
      ((request) =>
        confirm({ ...request, text: `${name} asks for this call, not the model.\n${request.text}` })),
  });

  /** Counts, checks and logs a request, and aborts it with the app. */
  const handle = async <T>(
    method: string,
    target: unknown,
    extra: AppRequestExtra | undefined,
    answer: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const isText = typeof target === 'string';
    const what = {
      server,
      app,
      method,
      target: isText ? escapeText(target, { maxLength: 200 }) : typeof target,
    };
    const link = linkSignal(extra?.mcpReq?.signal ?? extra?.signal);
    const abort = (): void => link.abort();
    underWay++;
    try {
      if (!isText) throw refuse('ARGUMENTS_INVALID', 'The name or URI in the request is not text.');
      if (closing.signal.aborted) throw refuse('POLICY_DENIED', 'The app has been closed.');
      if (underWay > deps.maxParallelRequests) {
        throw refuse('POLICY_DENIED', `An app may have ${deps.maxParallelRequests} requests under way.`);
      }
      if (!deps.isSameServer()) throw replaced();
      closing.signal.addEventListener('abort', abort);
      const result = await answer(link.signal);
      logger?.info('Answered a request of an app.', what);
      return result;
    } catch (thrown) {
      const error = asFittingsError(thrown, link.signal, server);
      logger?.warn('Refused or failed a request of an app.', { ...what, error });
      throw error;
    } finally {
      underWay--;
      closing.signal.removeEventListener('abort', abort);
      link[Symbol.dispose]();
    }
  };

  const question = (sentence: string, signal: AbortSignal): AppQuestion => ({
    server,
    app,
    text: `${name} ${sentence}`,
    signal,
  });

  const mayRead = async (uri: string, signal: AbortSignal): Promise<void> => {
    const verdict = policy.forResource({ server, uri });
    if (verdict.decision === 'deny') throw refuse('POLICY_DENIED', verdict.reason);
    // Part of the app itself, as its other pages are.
    if (verdict.decision === 'allow' || isAppUri(uri)) return;
    const permission = verdict.decision === 'ask' ? 'ask' : deps.defaultPermission;
    if (permission === 'allow') return;
    if (permission === 'deny') throw refuse('POLICY_DENIED', verdict.reason);
    if (deps.confirmRead === undefined) {
      throw refuse('APPROVAL_REQUIRED', `Reading a resource requires confirmation: ${verdict.reason}`);
    }
    const sentence = `asks to read "${escapeText(uri, { maxLength: 1_000 })}". ${verdict.reason}`;
    const agreed: unknown = await abortable(deps.confirmRead({ ...question(sentence, signal), uri }), signal);
    if (agreed !== true) throw refuse('POLICY_DENIED', 'The user declined the reading.');
    if (!deps.isSameServer())
      throw refuse('APPROVAL_REQUIRED', 'The server changed while the question was open.');
  };

  const handlers: AppHandlers = {
    oncalltool: ({ name: tool, arguments: args }, extra) =>
      handle('tools/call', tool, extra, async (signal) => {
        const listed = host.tools().find((each) => each.server === server && each.name === tool);
        if (listed === undefined)
          throw refuse('TOOL_UNKNOWN', 'The server of this app has no tool of this name.');
        if (!toolVisibility(listed).app) {
          throw refuse('POLICY_DENIED', 'The server offers this tool to models, not to its app.');
        }
        const turn = tools.snapshot();
        const modelName = turn.names.nameOf({ server, tool });
        if (modelName === undefined) {
          const skipped = turn.skipped.find(({ ref }) => ref.tool === tool);
          throw skipped?.error ?? refuse('TOOL_UNKNOWN', 'The host does not offer this tool.');
        }
        const last = await turn.run(modelName, args ?? {}, { signal, originalNames: true });
        if (last.type === 'error') throw last.error;
        return toAppResult(last.result);
      }),

    onreadresource: ({ uri }, extra) =>
      handle('resources/read', uri, extra, async (signal) => {
        if (uri.length > MAX_URI_LENGTH) throw refuse('POLICY_DENIED', 'The URI is too long.');
        await mayRead(uri, signal);
        const { contents } = await host.readResource({ server, uri }, { signal });
        return { contents: contents.map(toContents) };
      }),

    onopenlink: ({ url: text }, extra) =>
      handle('ui/open-link', text, extra, async (signal) => {
        const url = linkOf(text);
        if (url === undefined || deps.openLink === undefined) return { isError: true };
        const sentence = `asks to open ${escapeText(url.href, { maxLength: 1_000 })}`;
        const opened: unknown = await abortable(
          deps.openLink({ ...question(sentence, signal), url }),
          signal,
        );
        return opened === true ? {} : { isError: true };
      }),
  };
  const close = async (): Promise<void> => {
    closing.abort();
    await tools.close();
  };
  return { handlers, close };
}

/** Returns the part of a host that belongs to one server. The server is compared once more when a call is sent. */
function ownServer(
  host: AppsHost,
  server: string,
  isSameServer: () => boolean,
  replaced: () => FittingsError,
): ToolHost {
  return {
    tools: () => host.tools().filter((tool) => tool.server === server),
    servers: host.servers && (() => host.servers?.() ?? []),
    async callTool(ref, args, options) {
      if (ref.server !== server || !isSameServer()) throw replaced();
      return host.callTool(ref, args, options);
    },
  };
}

/** The app gets the message of an error: that of a callback may hold what it must not know. */
function asFittingsError(thrown: unknown, signal: AbortSignal, server: string): FittingsError {
  if (thrown instanceof FittingsError) return thrown;
  const options = { server, cause: thrown };
  return signal.aborted
    ? new FittingsError('ABORTED', 'The request of the app was aborted.', options)
    : new FittingsError('CALLBACK_FAILED', 'A callback of the host failed.', options);
}

/** Other schemes start programs or run scripts; credentials in a URL mislead about its host. */
function linkOf(text: string): URL | undefined {
  if (text.length > MAX_URI_LENGTH || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' ? url : undefined;
}

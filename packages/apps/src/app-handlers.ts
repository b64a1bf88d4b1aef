import { FittingsError } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/toolbox/text';
import { abortable, linkSignal } from '@mcp-fittings/toolbox/timing';
import { createTools, toolVisibility, type ToolHost, type ToolPolicy, type Tools } from '@mcp-fittings/tools';
import type { CallOptions, CatalogResource, ResourceResult } from '@mcp-fittings/host';
import { toAppResult, toContents, type AppResourceContents, type AppToolResult } from './app-result.js';
import type { AppsOptions } from './create-apps.js';
import { isAppUri, showUri } from './read-app.js';

/** The part of a host that `createApps` uses. `createHost` of `@mcp-fittings/host` returns one. */
export interface AppsHost extends ToolHost {
  /** Returns the resources that servers list. */
  resources(
    options?: Pick<CallOptions, 'principal'>,
  ): readonly Pick<CatalogResource, 'server' | 'uri' | '_meta'>[];
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
  ) => Promise<{ contents: AppResourceContents[] }>;
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

type RefusalCode = 'APPROVAL_REQUIRED' | 'ARGUMENTS_INVALID' | 'POLICY_DENIED' | 'TOOL_UNKNOWN';

const MAX_URI_LENGTH = 8_192;

const DEFAULT_PARALLEL_REQUESTS = 8;

/** Answers the requests of one app. */
export class AppRequests {
  readonly handlers: AppHandlers;
  readonly #app: string;
  readonly #host: AppsHost;
  readonly #server: string;
  readonly #isSameServer: () => boolean;
  readonly #options: AppsOptions & { readonly policy: ToolPolicy };
  readonly #tools: Tools;
  /** Names the app in questions to the user. */
  readonly #name: string;
  readonly #closing = new AbortController();
  #underWay = 0;

  /** @param given `isSameServer`: whether the server still is the one of the app. Another entry may have its name by now. */
  constructor(
    app: string,
    given: {
      readonly host: AppsHost;
      readonly server: string;
      readonly isSameServer: () => boolean;
      readonly options: AppsOptions & { readonly policy: ToolPolicy };
    },
  ) {
    const { host, server, isSameServer, options } = given;
    this.#app = app;
    this.#host = host;
    this.#server = server;
    this.#isSameServer = isSameServer;
    this.#options = options;
    this.#name = `The app "${showUri(app)}" of the server "${escapeText(server, { maxLength: 128 })}"`;
    const { confirm, principal, policy, pins, defaultPermission, validateArguments } = options;
    const { schemaLimits, listLimits, valueLimits } = options;
    this.#tools = createTools(this.#ownServer(), {
      principal,
      policy,
      pins,
      defaultPermission,
      validateArguments,
      schemaLimits,
      listLimits,
      valueLimits,
      includeAppTools: true,
      confirm:
        confirm &&
        ((request) =>
          confirm({
            ...request,
            text: `${this.#name} asks for this call, not the model.\n${request.text}`,
          })),
    });
    this.handlers = {
      oncalltool: ({ name, arguments: args }, extra) =>
        this.#handle('tools/call', name, extra, (signal) => this.#callTool(name, args ?? {}, signal)),
      onreadresource: ({ uri }, extra) =>
        this.#handle('resources/read', uri, extra, (signal) => this.#readResource(uri, signal)),
      onopenlink: ({ url }, extra) =>
        this.#handle('ui/open-link', url, extra, (signal) => this.#openLink(url, signal)),
    };
  }

  /** Aborts what is under way and refuses further requests. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#tools.close();
  }

  /** Counts, checks and logs a request, and aborts it with the app. */
  async #handle<T>(
    method: string,
    target: unknown,
    extra: AppRequestExtra | undefined,
    answer: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { logger, maxParallelRequests = DEFAULT_PARALLEL_REQUESTS } = this.#options;
    const isText = typeof target === 'string';
    const what = {
      server: this.#server,
      app: this.#app,
      method,
      target: isText ? escapeText(target, { maxLength: 200 }) : typeof target,
    };
    const link = linkSignal(extra?.mcpReq?.signal ?? extra?.signal);
    const abort = (): void => link.abort();
    const closing = this.#closing.signal;
    this.#underWay++;
    try {
      if (!isText) throw this.#refuse('ARGUMENTS_INVALID', 'The name or URI in the request is not text.');
      if (closing.aborted) throw this.#refuse('POLICY_DENIED', 'The app has been closed.');
      if (this.#underWay > maxParallelRequests) {
        throw this.#refuse('POLICY_DENIED', `An app may have ${maxParallelRequests} requests under way.`);
      }
      if (!this.#isSameServer()) throw this.#replaced();
      closing.addEventListener('abort', abort);
      const result = await answer(link.signal);
      logger?.info('Answered a request of an app.', what);
      return result;
    } catch (thrown) {
      const error = asFittingsError(thrown, link.signal, this.#server);
      logger?.warn('Refused or failed a request of an app.', { ...what, error });
      throw error;
    } finally {
      this.#underWay--;
      closing.removeEventListener('abort', abort);
      link[Symbol.dispose]();
    }
  }

  async #callTool(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<AppToolResult> {
    const server = this.#server;
    const listed = this.#host.tool({ server, tool });
    if (listed === undefined)
      throw this.#refuse('TOOL_UNKNOWN', 'The server of this app has no tool of this name.');
    if (!toolVisibility(listed).app) {
      throw this.#refuse('POLICY_DENIED', 'The server offers this tool to models, not to its app.');
    }
    const turn = this.#tools.snapshot();
    const modelName = turn.names.nameOf({ server, tool });
    if (modelName === undefined) {
      const skipped = turn.skipped.find(({ ref }) => ref.tool === tool);
      throw skipped?.error ?? this.#refuse('TOOL_UNKNOWN', 'The host does not offer this tool.');
    }
    const last = await turn.run(modelName, args, { signal, originalNames: true });
    if (last.type === 'error') throw last.error;
    return toAppResult(last.result);
  }

  async #readResource(uri: string, signal: AbortSignal): ReturnType<AppHandlers['onreadresource']> {
    if (uri.length > MAX_URI_LENGTH) throw this.#refuse('POLICY_DENIED', 'The URI is too long.');
    await this.#checkMayRead(uri, signal);
    const { contents } = await this.#host.readResource({ server: this.#server, uri }, { signal });
    return { contents: contents.map(toContents) };
  }

  async #checkMayRead(uri: string, signal: AbortSignal): Promise<void> {
    const { policy, confirmRead, defaultPermission = 'ask' } = this.#options;
    const verdict = policy.forResource({ server: this.#server, uri });
    if (verdict.decision === 'deny') throw this.#refuse('POLICY_DENIED', verdict.reason);
    // Part of the app itself, as its other pages are.
    if (verdict.decision === 'allow' || isAppUri(uri)) return;
    const permission = verdict.decision === 'ask' ? 'ask' : defaultPermission;
    if (permission === 'allow') return;
    if (permission === 'deny') throw this.#refuse('POLICY_DENIED', verdict.reason);
    if (confirmRead === undefined) {
      throw this.#refuse('APPROVAL_REQUIRED', `Reading a resource requires confirmation: ${verdict.reason}`);
    }
    const sentence = `asks to read "${escapeText(uri, { maxLength: 1_000 })}". ${verdict.reason}`;
    const agreed: unknown = await abortable(
      confirmRead({ ...this.#question(sentence, signal), uri }),
      signal,
    );
    if (agreed !== true) throw this.#refuse('POLICY_DENIED', 'The user declined the reading.');
    if (!this.#isSameServer())
      throw this.#refuse('APPROVAL_REQUIRED', 'The server changed while the question was open.');
  }

  async #openLink(text: string, signal: AbortSignal): ReturnType<AppHandlers['onopenlink']> {
    const { openLink } = this.#options;
    const url = linkOf(text);
    if (url === undefined || openLink === undefined) return { isError: true };
    const sentence = `asks to open ${escapeText(url.href, { maxLength: 1_000 })}`;
    const opened: unknown = await abortable(openLink({ ...this.#question(sentence, signal), url }), signal);
    return opened === true ? {} : { isError: true };
  }

  #question(sentence: string, signal: AbortSignal): AppQuestion {
    return { server: this.#server, app: this.#app, text: `${this.#name} ${sentence}`, signal };
  }

  /** Returns the part of the host that belongs to the server. The server is compared once more when a call is sent. */
  #ownServer(): ToolHost {
    const host = this.#host;
    return {
      tools: () => host.tools().filter((tool) => tool.server === this.#server),
      tool: (ref) => host.tool(ref),
      servers: () => host.servers(),
      callTool: async (ref, args, options) => {
        if (ref.server !== this.#server || !this.#isSameServer()) throw this.#replaced();
        return host.callTool(ref, args, options);
      },
    };
  }

  #replaced(): FittingsError {
    return this.#refuse(
      'POLICY_DENIED',
      'The server of this app was replaced by another one of the same name.',
    );
  }

  #refuse(code: RefusalCode, why: string): FittingsError {
    return new FittingsError(code, why, { server: this.#server, delivery: 'not-sent' });
  }
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

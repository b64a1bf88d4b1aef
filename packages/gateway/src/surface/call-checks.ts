import { AuthRequiredError, type Clock, FittingsError } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/toolbox/text';
import { withTimeout } from '@mcp-fittings/toolbox/timing';
import type { CallOptions, CatalogTool, Host, ResourceRef, ToolRef } from '@mcp-fittings/host';
import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { confirmCall, type PolicyTool, type ToolPolicy, type ToolPolicyVerdict } from '@mcp-fittings/tools';
import { elicitationInput, missingCapability, readElicitationAnswer } from '../callbacks/client-input.js';
import type { OpenCall } from '../callbacks/open-call.js';
import type { Scope } from '../catalog/exposure.js';
import type { UpstreamSignIn } from '../contracts/access.js';
import { MCP_CODES, RpcError } from '../contracts/rpc-error.js';
import type { ClientConnection } from '../contracts/surface.js';

/** A request of a caller, about which the policy is asked. */
export interface PolicyCheck {
  readonly host: Host;
  readonly scope: Scope;
  readonly policy: ToolPolicy;
  readonly call: OpenCall;
}

/**
 * Asks the policy whether a tool may run, and the client if the policy says so. The question shows what is sent, and the answer
 * counts for exactly that.
 * @param args - undefined for the task of a call: the user was asked before
 * @throws {FittingsError} `POLICY_DENIED` if it may not; `APPROVAL_REQUIRED` if the tool or its server changed meanwhile.
 */
export async function checkPolicy(
  ref: ToolRef,
  args: Readonly<Record<string, unknown>> | undefined,
  { host, scope, policy, call }: PolicyCheck,
): Promise<void> {
  const { server, tool: name } = ref;
  const { principal } = scope.caller;
  const listed = (): CatalogTool | undefined => host.tool(ref, { principal });
  const currentTool = (): PolicyTool => {
    // A tool that is not listed has no definition to compare.
    const { annotations, digest } = listed() ?? { annotations: undefined, digest: '' };
    const { identity } = host.server(server);
    return { server, name, annotations, digest, identity, ...(principal !== undefined && { principal }) };
  };
  if (listed() === undefined) {
    mustAsk(policy.forTool(currentTool()), server);
    // What a tool does is known once its server is connected, and may be what the policy denies.
    await connected(server, host, { signal: call.signal, origin: call.origin, principal });
  }
  const asked = currentTool();
  const verdict = policy.forTool(asked);
  if (!mustAsk(verdict, server) || args === undefined) return;
  const title = listed()?.title ?? asked.annotations?.title;
  await confirmCall(
    { ref, name, title, args, asked, verdict, signal: call.signal },
    {
      policy,
      currentTool,
      serverTools: () => [],
      ask: async ({ text }) => ((await agrees(text, verdict, server, call)) ? 'once' : 'cancel'),
    },
  );
}

/** Connects a server as a call does. Rejects as a call does. */
async function connected(server: string, host: Host, options: CallOptions): Promise<void> {
  if (host.server(server, options).state.status === 'connected') return;
  try {
    await host.request({ server, method: 'ping' }, {}, options);
  } catch (error) {
    if (!(error instanceof FittingsError && error.code === 'RPC_ERROR')) throw error;
  }
}

/**
 * Asks the policy whether a resource may be read, and the client if the policy says so. The answer counts for the server that the
 * question named.
 * @throws {FittingsError} `POLICY_DENIED` if it may not; `APPROVAL_REQUIRED` if its server changed meanwhile.
 */
export async function checkResourcePolicy(
  ref: ResourceRef,
  { host, policy, call }: PolicyCheck,
): Promise<void> {
  const { server } = ref;
  const { identity } = host.server(server);
  const verdict = policy.forResource(ref);
  if (!mustAsk(verdict, server)) return;
  const question = `Read the resource ${shown(ref.uri)} of the server ${shown(server)}?`;
  if (!(await agrees(question, verdict, server, call))) {
    throw denied('The user did not confirm the request.', server);
  }
  if (host.server(server).identity !== identity) {
    throw new FittingsError('APPROVAL_REQUIRED', 'The server changed while the question was open.', {
      server,
      delivery: 'not-sent',
      hint: 'Read the resource again. The user will be asked again.',
    });
  }
  mustAsk(policy.forResource(ref), server);
}

/** Returns whether the user is asked; throws `POLICY_DENIED` if the policy denies it. */
function mustAsk({ decision, reason }: ToolPolicyVerdict, server: string): boolean {
  if (decision === 'deny') throw denied(reason, server);
  return decision === 'ask';
}

/** Asks the client, and resolves with whether the user agreed. Rejects with `POLICY_DENIED` if the client cannot ask. */
async function agrees(
  message: string,
  { reason }: ToolPolicyVerdict,
  server: string,
  call: OpenCall,
): Promise<boolean> {
  const schema = { type: 'object', properties: {} };
  const question = elicitationInput({ mode: 'form', message, schema, warnings: [] });
  if (missingCapability(question, call.exchange.capabilities) !== undefined)
    throw denied(`${reason} The client cannot ask the user.`, server);
  return readElicitationAnswer(await call.ask(question)).action === 'accept';
}

function denied(why: string, server: string): FittingsError {
  return new FittingsError('POLICY_DENIED', why, { server, delivery: 'not-sent' });
}

const shown = (text: string): string => `"${escapeText(text, { maxLength: 2000 })}"`;

/** Options of {@link withSignIn}. */
export interface WithSignInOptions {
  readonly connection: ClientConnection;
  readonly server: string;
  readonly signIn: UpstreamSignIn | undefined;
  readonly clock: Clock;
  /** Longest time for the sign-in, in milliseconds. */
  readonly answerMs: number;
  /** Called with the page of a legacy client, whose request is refused until the sign-in is completed. */
  readonly onPage: (elicitationId: string, completed: Promise<void>) => void;
}

/**
 * Does the work. If the server requires a sign-in, opens a page for it, unless it needs none: a client that can show pages is asked to,
 * and the work is done again; any other one is told its URL in the error.
 */
export async function withSignIn<T>(
  work: () => Promise<T>,
  call: OpenCall | undefined,
  options: WithSignInOptions,
): Promise<T> {
  const { connection, server, signIn, clock, answerMs, onPage } = options;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AuthRequiredError) || signIn === undefined) throw error;
    // The token of the caller has to be another one: no page of the gateway helps.
    if (error.details['interactive'] === false) throw error;
    const page = await signIn.open(connection.caller, server);
    if (page === undefined) return work();
    page.completed.catch(() => undefined);
    const message = `Sign in to the server "${escapeText(server, { maxLength: 100 })}".`;
    const { url, elicitationId } = page;
    const question = elicitationInput({ mode: 'url', message, url, warnings: [] });
    const canShow =
      call !== undefined && missingCapability(question, call.exchange.capabilities) === undefined;
    if (canShow && connection.era === 'legacy') {
      onPage(elicitationId, page.completed);
      const elicitations = [{ mode: 'url', message, url, elicitationId }];
      throw new RpcError(MCP_CODES.urlElicitationRequired, message, { elicitations }, 200, { cause: error });
    }
    if (!canShow || readElicitationAnswer(await call.ask(question)).action !== 'accept')
      throw signInRequired(error, message, page);
    await withTimeout(
      {
        ms: answerMs,
        clock,
        signal: call.signal,
        error: () => new FittingsError('TIMEOUT', 'The sign-in took too long.', { delivery: 'rejected' }),
      },
      () => page.completed,
    );
    return work();
  }
}

function signInRequired(
  cause: AuthRequiredError,
  message: string,
  { url, elicitationId }: { readonly url: string; readonly elicitationId: string },
): RpcError {
  const data = {
    code: 'AUTH_REQUIRED',
    delivery: cause.delivery ?? 'rejected',
    retryable: true,
    hint: 'Open the page, sign in, and retry.',
    url,
    elicitationId,
  };
  return new RpcError(RPC_CODES.internalError, `${message} Open ${url}`, data, 200, { cause });
}

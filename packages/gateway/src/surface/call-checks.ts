import { AuthRequiredError, FittingsError, type Clock } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/client-core/text';
import { withTimeout } from '@mcp-fittings/client-core/timing';
import type { CatalogTool, ResourceRef, ToolRef } from '@mcp-fittings/host';
import { ProtocolError, ProtocolErrorCode, UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import type { ToolPolicy, ToolPolicyVerdict } from '@mcp-fittings/tools';
import { elicitationInput, missingCapability, readElicitationAnswer } from '../callbacks/client-input.js';
import type { OpenCall } from '../callbacks/open-call.js';
import type { Exposure, PolicyItem, Scope } from '../catalog/exposure.js';
import type { UpstreamSignIn } from '../contracts/access.js';
import type { ClientConnection } from '../contracts/surface.js';

/**
 * Asks the policy whether a tool may run, and the client if the policy says so.
 * @throws {FittingsError} `POLICY_DENIED` if it may not.
 */
export async function checkPolicy(
  ref: ToolRef,
  definition: CatalogTool | undefined,
  call: OpenCall,
  options: { readonly scope: Scope; readonly exposure: Exposure; readonly policy: ToolPolicy | undefined },
): Promise<void> {
  const { scope, exposure, policy } = options;
  const item: PolicyItem = definition ?? {
    server: ref.server,
    name: ref.tool,
    digest: '',
    annotations: undefined,
  };
  const verdict = exposure.verdict(scope, item);
  if (verdict === undefined) return;
  const question = `Run the tool ${shown(ref.tool)} of the server ${shown(ref.server)}?`;
  const confirmed = await allow(verdict, question, ref.server, call);
  if (confirmed === 'without asking') return;
  const asked = {
    ...item,
    ...(scope.caller.principal !== undefined && { principal: scope.caller.principal }),
  };
  if (policy?.answer(asked, 'once') !== true) throw denied('The user did not confirm the call.', ref.server);
}

/**
 * Asks the policy whether a resource may be read, and the client if the policy says so.
 * @throws {FittingsError} `POLICY_DENIED` if it may not.
 */
export async function checkResourcePolicy(
  ref: ResourceRef,
  call: OpenCall,
  policy: ToolPolicy | undefined,
): Promise<void> {
  if (policy === undefined) return;
  const question = `Read the resource ${shown(ref.uri)} of the server ${shown(ref.server)}?`;
  await allow(policy.forResource(ref), question, ref.server, call);
}

/** Resolves with how it was allowed; rejects with `POLICY_DENIED` otherwise. */
async function allow(
  { decision, reason }: ToolPolicyVerdict,
  message: string,
  server: string,
  call: OpenCall,
): Promise<'without asking' | 'by the client'> {
  if (decision === 'allow' || decision === 'pass-through') return 'without asking';
  if (decision === 'deny') throw denied(reason, server);
  const question = elicitationInput({
    mode: 'form',
    message,
    schema: { type: 'object', properties: {} },
    warnings: [],
  });
  if (missingCapability(question, call.exchange.capabilities) !== undefined)
    throw denied(`${reason} The client cannot ask the user.`, server);
  const answer = readElicitationAnswer(await call.ask(question));
  if (answer.action === 'accept') return 'by the client';
  throw denied('The user did not confirm the call.', server);
}

function denied(why: string, server: string): FittingsError {
  return new FittingsError('POLICY_DENIED', why, { server, delivery: 'not-sent' });
}

const shown = (text: string): string => `"${escapeText(text, { maxLength: 100 })}"`;

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
 * Does the work. If the server requires a sign-in, opens a page for it: a client that can show pages is asked to, and the work is done
 * again; any other one is told its URL in the error.
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
    const page = await signIn.open(connection.caller, server);
    page.completed.catch(() => undefined);
    const message = `Sign in to the server "${escapeText(server, { maxLength: 100 })}".`;
    const { url, elicitationId } = page;
    const question = elicitationInput({ mode: 'url', message, url, warnings: [] });
    const canShow =
      call !== undefined && missingCapability(question, call.exchange.capabilities) === undefined;
    if (canShow && connection.era === 'legacy') {
      onPage(elicitationId, page.completed);
      throw new UrlElicitationRequiredError([{ mode: 'url', message, url, elicitationId }], message);
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
  { delivery = 'rejected' }: AuthRequiredError,
  message: string,
  { url, elicitationId }: { readonly url: string; readonly elicitationId: string },
): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, `${message} Open ${url}`, {
    code: 'AUTH_REQUIRED',
    delivery,
    retryable: true,
    hint: 'Open the page, sign in, and retry.',
    url,
    elicitationId,
  });
}

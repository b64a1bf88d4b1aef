import { AuthRequiredError, FittingsError, type Clock } from '@mcp-fittings/client-core';
import { escapeText } from '@mcp-fittings/client-core/text';
import { withTimeout } from '@mcp-fittings/client-core/timing';
import type { CatalogTool, ToolRef } from '@mcp-fittings/host';
import {
  ProtocolError,
  ProtocolErrorCode,
  UrlElicitationRequiredError,
  type InputRequest,
} from '@modelcontextprotocol/server';
import type { ToolPolicy } from '@mcp-fittings/tools';
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
  if (verdict === undefined || verdict.decision === 'allow' || verdict.decision === 'pass-through') return;
  const refused = (why: string): FittingsError =>
    new FittingsError('POLICY_DENIED', why, { server: ref.server, delivery: 'not-sent' });
  if (verdict.decision === 'deny') throw refused(verdict.reason);
  const question = confirmation(ref);
  if (missingCapability(question, call.exchange.capabilities) !== undefined)
    throw refused(`${verdict.reason} The client cannot ask the user.`);
  const answer = readElicitationAnswer(await call.ask(question));
  const outcome = answer.action === 'accept' ? 'once' : 'cancel';
  const asked = {
    ...item,
    ...(scope.caller.principal !== undefined && { principal: scope.caller.principal }),
  };
  if (policy?.answer(asked, outcome) === true) return;
  throw refused('The user did not confirm the call.');
}

function confirmation({ server, tool }: ToolRef): InputRequest {
  const name = (text: string): string => `"${escapeText(text, { maxLength: 100 })}"`;
  return elicitationInput({
    mode: 'form',
    message: `Run the tool ${name(tool)} of the server ${name(server)}?`,
    schema: { type: 'object', properties: {} },
    warnings: [],
  });
}

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

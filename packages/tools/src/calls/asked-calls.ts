import type { FittingsError } from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import type { ModelTool } from '../model-tools/model-tool.js';
import { notCalled, type Confirm } from './confirm-call.js';

/** Most questions that are remembered. The oldest are forgotten. */
const MAX_QUESTIONS = 1_000;

/**
 * The calls that a framework asked the user about by itself, and that it has not made yet.
 * @example
 * ```ts
 * const asked = new AskedCalls();
 * asked.remember(call.id, tool); // while the framework asks
 * await toolset.run(call.name, call.args, { confirm: asked.take(call.id) }); // once the user agreed
 * ```
 */
export class AskedCalls {
  readonly #questions = new RecentMap<string, { tool: ModelTool; args: string | undefined }>(MAX_QUESTIONS);

  /**
   * Remembers what the user is asked about, and forgets an earlier question about the same call.
   * @param callId Id that the model gave the call.
   * @param args The arguments that the user sees, if the call could come with others. Default: they are not compared.
   */
  remember(callId: string, tool: ModelTool, args?: unknown): void {
    this.#questions.set(callId, { tool, args: args === undefined ? undefined : canonicalJson(args) });
  }

  /** Returns whether there is a question about this call. */
  has(callId: string): boolean {
    return this.#questions.has(callId);
  }

  /**
   * Forgets the question about a call, and returns the user's consent to it, for `confirm` of the call. It rejects with
   * `APPROVAL_REQUIRED` for another tool, for other arguments, and if the server has changed the tool since the user was asked.
   * Undefined if this process did not ask, or too long ago.
   * @param args The arguments of the call, if the question had some.
   */
  take(callId: string, args?: unknown): Confirm | undefined {
    const question = this.#questions.get(callId);
    if (question === undefined) return undefined;
    this.#questions.delete(callId);
    const sent = question.args === undefined ? undefined : canonicalJson(args ?? {});
    return async ({ tool, digest }) => {
      const isSameCall = question.tool.name === tool.name && question.args === sent;
      if (!isSameCall)
        throw notApproved(tool, `The user approved another call than this one of ${tool.name}.`);
      if (question.tool.definition.digest !== digest)
        throw notApproved(tool, `The tool ${tool.name} changed while the question was open.`);
      return 'once';
    };
  }
}

const notApproved = (tool: ModelTool, message: string): FittingsError =>
  notCalled('APPROVAL_REQUIRED', tool, message, 'Call the tool again. The user will be asked.');

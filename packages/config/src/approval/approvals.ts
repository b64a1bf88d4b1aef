import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { normalizeEntry } from '../entry/normalize.js';
import { jsonCopy } from '../jsonc/json-value.js';
import { parsePolicy, findPolicyViolation, type ServerRule } from '../policy/policy.js';
import type { ApprovalAnswer, ApprovalRequest } from './approval-request.js';
import { createMemoryApprovalStore, type ApprovalStore, type StoredDecision } from './approval-store.js';

/** Options of {@link createServerApprovals}. */
export interface ServerApprovalsOptions {
  /** Stores the decisions `always` and `never`. Default: decisions last as long as this object. */
  readonly store?: ApprovalStore | undefined;
  /**
   * Shows the question to the user and resolves to the answer. It is called for one server at a time. `details` is true
   * after the answer `details`: show {@link ApprovalRequest.details} in place of the text. Default: no question is asked,
   * and a server that has not been approved stays unapproved; use that in CI.
   */
  readonly approve?:
    | ((request: ApprovalRequest, options: { readonly details: boolean }) => Promise<ApprovalAnswer>)
    | undefined;
  /**
   * Names of servers that the user wants in any project. They approve nothing, because any clone can use that name; they
   * set {@link ApprovalRequest.preselected}. Default: none.
   */
  readonly preselected?: readonly string[] | undefined;
  /** Names of servers that are rejected in every project, without a question. Default: none. */
  readonly rejected?: readonly string[] | undefined;
  /**
   * Commands and URLs that need no question in any project. An entry that sets anything besides its command or URL (an
   * environment, variables, headers, a working directory …) is asked about nevertheless; `fields` of a rule has no effect
   * here. A server that such a rule covers starts in the home directory, not in the project. Default: none.
   */
  readonly trusted?: readonly Exclude<ServerRule, { readonly serverName: string }>[] | undefined;
  /** Time source for {@link StoredDecision.at}. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

type Decided = Exclude<ApprovalAnswer, 'details'>;

interface DecisionOfThisRun {
  readonly project: string;
  readonly name: string;
  readonly approved: boolean;
}

/** Decisions about the servers of a project. They are read once, and again after a question. Methods reject if that fails. */
export interface ProjectApprovals {
  /** Resolves to true if another definition of this name was approved in the project, and this one was not. */
  isChanged(name: string, hash: string): Promise<boolean>;
  /**
   * Resolves to the decision about this definition. Asks the user if there is no decision yet, `mayAsk` is true and
   * {@link ServerApprovalsOptions.approve} is set; the answer is remembered. Rejects if the store cannot be read or written, or
   * if `approve` rejects, and with `CALLBACK_FAILED` if `approve` resolves to anything but an {@link ApprovalAnswer}. A server
   * whose decision rejects is not approved.
   *
   * `listed` is what the user's settings files say about the name. `enabled`: approved in this project. `preselected`:
   * listed as wanted without a project, which approves nothing. `disabled`: rejected. Undefined: not listed.
   *
   * `covered`: a rule in `trusted` permits the server anywhere, and it was not approved as part of this project.
   * `undecided`: there is no decision, and no question could be asked.
   */
  decide(
    request: ApprovalRequest,
    options: {
      readonly mayAsk: boolean;
      readonly listed: 'enabled' | 'disabled' | 'preselected' | undefined;
    },
  ): Promise<'approved' | 'covered' | 'rejected' | 'undecided'>;
}

/** Decides whether servers that came with a project may be used. Pass it to {@link loadConfig}. */
export interface ServerApprovals {
  /** Path of the file with the decisions, so that {@link watchConfig} can watch it; undefined without a file. */
  readonly file?: string | undefined;
  /** Reads the decisions about a project. */
  open(project: string): ProjectApprovals;
  /**
   * Remembers a decision that was made elsewhere, for example in a settings dialog. Pass the `approval` of a
   * {@link ServerEntry}. Rejects if the store cannot be written.
   */
  remember(
    request: Pick<ApprovalRequest, 'name' | 'project' | 'hash'>,
    decision: Exclude<ApprovalAnswer, 'details'>,
  ): Promise<void>;
  /** Deletes every decision about a project, or about one server of it. Rejects if the store cannot be written. */
  forget(project: string, name?: string): Promise<void>;
}

/** Decision of the user's settings files about the name of a project's server. */
export type ListedStatus = Parameters<ProjectApprovals['decide']>[1]['listed'];

/** Most times that `approve` may answer `details` before the answer counts as no. */
const MAX_DETAILS = 10;
/** A rule in `trusted` covers an entry only if every field is one of these. */
const COVERED_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'transportType',
  'command',
  'args',
  'url',
  'description',
  'disabled',
]);

/**
 * Creates the approval step between the files of a project and its servers. Throws `CONFIG_INVALID` if `trusted` holds a
 * malformed rule or one that names a server.
 *
 * @example
 * ```ts
 * const approvals = createServerApprovals({
 *   store: createFileApprovalStore(),
 *   approve: async ({ text }) => {
 *     console.log(text);
 *     return 'once';
 *   },
 * });
 * const { servers } = await loadConfig({ layout: layouts.claude, approvals });
 * ```
 */
export function createServerApprovals(options: ServerApprovalsOptions = {}): ServerApprovals {
  const { approve, preselected = [], rejected = [], trusted = [], clock = systemClock } = options;
  const store = options.store ?? createMemoryApprovalStore();
  const rules = parsePolicy({ allow: trusted });
  if ('error' in rules || trusted.some((rule) => 'serverName' in rule)) {
    throw new FittingsError(
      'CONFIG_INVALID',
      'The option "trusted" is malformed: each rule must have either "serverCommand" or "serverUrl".',
    );
  }
  const thisRun = new Map<string, DecisionOfThisRun>();
  const keyOf = (request: Pick<ApprovalRequest, 'name' | 'project' | 'hash'>): string =>
    JSON.stringify([request.project.id, request.name, request.hash]);

  const approvals: ServerApprovals = {
    file: store.file,

    open(project) {
      let reading: ReturnType<ApprovalStore['read']> | undefined;
      const decisions = async (name: string): Promise<readonly StoredDecision[]> =>
        (await (reading ??= store.read(project))).get(name) ?? [];
      return {
        async isChanged(name, hash) {
          const kept = await decisions(name);
          return (
            kept.some((entry) => entry.decision === 'always') && !kept.some((entry) => entry.hash === hash)
          );
        },

        async decide(request, { mayAsk, listed }) {
          const now = thisRun.get(keyOf(request));
          if (now !== undefined) return now.approved ? 'approved' : 'rejected';
          const kept = await decisions(request.name);
          if (kept.some((entry) => entry.decision === 'never')) return 'rejected';
          if (rejected.includes(request.name) || listed === 'disabled') return 'rejected';
          if (kept.some((entry) => entry.hash === request.hash)) return 'approved';
          if (request.variables.length === 0 && isCovered(request)) return 'covered';
          if (kept.length === 0 && listed === 'enabled') {
            reading = undefined;
            await approvals.remember(request, 'always');
            return 'approved';
          }
          if (!mayAsk || approve === undefined) return 'undecided';
          // While a person answers, another program may change a decision.
          reading = undefined;
          const decision = await askUntilDecided(approve, {
            ...request,
            preselected: request.preselected || preselected.includes(request.name),
          });
          await approvals.remember(request, decision);
          return decision === 'once' || decision === 'always' ? 'approved' : 'rejected';
        },
      };
    },

    async remember({ project, name, hash }, decision) {
      const key = keyOf({ project, name, hash });
      if (decision === 'always' || decision === 'never') {
        thisRun.delete(key);
        await store.write(project, name, { decision, hash, at: clock.now() });
      } else {
        thisRun.set(key, { project: project.id, name, approved: decision === 'once' });
      }
    },

    async forget(project, name) {
      for (const [key, kept] of thisRun) {
        if (kept.project === project && (name === undefined || kept.name === name)) thisRun.delete(key);
      }
      await store.forget(project, name);
    },
  };

  const isCovered = ({ definition, program }: ApprovalRequest): boolean => {
    if (!Object.keys(definition).every((field) => COVERED_FIELDS.has(field))) return false;
    const normal = normalizeEntry(jsonCopy(definition));
    if ('issues' in normal) return false;
    const config = program === undefined ? normal.config : { ...normal.config, command: program };
    return (
      trusted.length > 0 &&
      findPolicyViolation(rules.policy, { name: '', scope: 'project', config }) === undefined
    );
  };

  return approvals;
}

async function askUntilDecided(
  approve: NonNullable<ServerApprovalsOptions['approve']>,
  request: ApprovalRequest,
): Promise<Decided> {
  for (let details = 0; details <= MAX_DETAILS; details++) {
    const answer: unknown = await approve(request, { details: details > 0 });
    if (answer === 'once' || answer === 'always' || answer === 'no' || answer === 'never') return answer;
    if (answer !== 'details')
      throw new FittingsError(
        'CALLBACK_FAILED',
        'The approval callback "approve" did not return "once", "always", "no" or "never".',
      );
  }
  return 'no';
}

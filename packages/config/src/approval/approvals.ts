import { FittingsError, type Clock } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/client-core/timing';
import { parsePolicy, refusalOf, type ServerRule } from '../policy/policy.js';
import { normaliseEntry } from '../entry/normalise.js';
import type { ApprovalStore } from './approval-store.js';
import type { ApprovalAnswer, ApprovalDecision, ApprovalRequest } from './request.js';

export interface ApprovalsOptions {
  /** Remembers decisions. Default: nothing outlives this object. */
  readonly store?: ApprovalStore | undefined;
  /**
   * The host's own dialogue. Without it nobody is asked, and what was not approved before stays unapproved. One
   * question at a time.
   */
  readonly ask?: ((request: ApprovalRequest, options: AskOptions) => Promise<ApprovalAnswer>) | undefined;
  /**
   * Project servers that the person has listed as wanted, by name, without saying in which project. They are only
   * marked as wanted in the question ({@link ApprovalRequest.preselected}): any clone may bring a server of that name.
   */
  readonly enabled?: readonly string[] | undefined;
  /** Project servers that the person has listed as unwanted, by name. */
  readonly disabled?: readonly string[] | undefined;
  /**
   * Servers that need no question wherever they turn up, by command or URL. An entry that has anything besides its
   * command or URL (an environment, variables, headers, a working directory …) is asked about all the same; `fields` of
   * a rule has no effect here. What a rule covers starts in the home directory, not in the project.
   */
  readonly trusted?: readonly Exclude<ServerRule, { readonly serverName: string }>[] | undefined;
  readonly clock?: Clock | undefined;
}

export interface AskOptions {
  /** Show the details too: the person asked for them. */
  readonly details: boolean;
}

interface DecisionOfThisRun {
  readonly project: string;
  readonly name: string;
  readonly approved: boolean;
}

/** `covered`: a rule of the person permits it anywhere; nobody approved it as a part of this project. */
export type ApprovalVerdict = 'approved' | 'covered' | 'rejected' | 'undecided';

/**
 * What the person's own settings files say about a project server by its name. `enabled`: wanted in this project.
 * `preselected`: wanted, in a list that is about no project, which approves nothing.
 */
export type Listed = 'enabled' | 'disabled' | 'preselected' | undefined;

/** Decisions about servers that came with a project. */
export interface Approvals {
  /** The file that keeps the decisions, where there is one, so that it can be watched. */
  readonly file?: string | undefined;
  /** Whether another definition of this name was approved before. */
  isChanged(project: string, name: string, hash: string): Promise<boolean>;
  /**
   * The decision on exactly this definition, after asking where that is possible and `mayAsk` says so. Rejects when
   * the store can't be used or the dialogue fails; the server is not approved then.
   */
  decide(
    request: ApprovalRequest,
    options: { readonly mayAsk: boolean; readonly listed: Listed },
  ): Promise<ApprovalVerdict>;
  /** Keeps a decision that was made elsewhere. */
  remember(
    request: Pick<ApprovalRequest, 'name' | 'project' | 'hash'>,
    decision: ApprovalDecision,
  ): Promise<void>;
  /** Forgets all decisions about a project, or about one name in it. */
  forget(project: string, name?: string): Promise<void>;
}

/** How often a dialogue may answer `details` before it counts as no. */
const MAX_DETAILS = 10;
/** What an entry may have for a rule of `trusted` to cover all of it. */
const COVERED_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'transportType',
  'command',
  'args',
  'url',
  'description',
  'disabled',
]);

/** Makes the gate between a project's file and its servers. Throws `CONFIG_INVALID` for rules that can't be read. */
export function createApprovals(options: ApprovalsOptions = {}): Approvals {
  const { store, ask, enabled = [], disabled = [], trusted = [], clock = systemClock } = options;
  const rules = parsePolicy({ allow: trusted });
  if ('wrong' in rules || trusted.some((rule) => 'serverName' in rule)) {
    throw new FittingsError(
      'CONFIG_INVALID',
      'The list of trusted servers is malformed: it takes commands and URLs.',
    );
  }
  const thisRun = new Map<string, DecisionOfThisRun>();
  const keyOf = (request: Pick<ApprovalRequest, 'name' | 'project' | 'hash'>): string =>
    JSON.stringify([request.project.id, request.name, request.hash]);

  const approvals: Approvals = {
    file: store?.file,

    async isChanged(project, name, hash) {
      const kept = (await store?.read(project))?.get(name) ?? [];
      return kept.some((entry) => entry.decision === 'always') && !kept.some((entry) => entry.hash === hash);
    },

    async decide(request, { mayAsk, listed }) {
      const now = thisRun.get(keyOf(request));
      if (now !== undefined) return now.approved ? 'approved' : 'rejected';
      const kept = (await store?.read(request.project.id))?.get(request.name) ?? [];
      if (kept.some((entry) => entry.decision === 'never')) return 'rejected';
      if (disabled.includes(request.name) || listed === 'disabled') return 'rejected';
      if (kept.some((entry) => entry.hash === request.hash)) return 'approved';
      if (request.variables.length === 0 && isCovered(request)) return 'covered';
      if (kept.length === 0 && listed === 'enabled') {
        await approvals.remember(request, store === undefined ? 'once' : 'always');
        return 'approved';
      }
      if (!mayAsk || ask === undefined) return 'undecided';
      const preselected = request.preselected || enabled.includes(request.name);
      const decision = await askPerson(ask, { ...request, preselected });
      await approvals.remember(request, decision);
      return decision === 'once' || decision === 'always' ? 'approved' : 'rejected';
    },

    async remember({ project, name, hash }, decision) {
      const key = keyOf({ project, name, hash });
      const lasting = decision === 'always' || decision === 'never';
      if (lasting && store !== undefined) {
        thisRun.delete(key);
        await store.write(project, name, { decision, hash, at: clock.now() });
      } else {
        thisRun.set(key, {
          project: project.id,
          name,
          approved: decision === 'once' || decision === 'always',
        });
      }
    },

    async forget(project, name) {
      for (const [key, kept] of thisRun) {
        if (kept.project === project && (name === undefined || kept.name === name)) thisRun.delete(key);
      }
      await store?.forget(project, name);
    },
  };

  const isCovered = ({ definition, program }: ApprovalRequest): boolean => {
    if (!Object.keys(definition).every((field) => COVERED_FIELDS.has(field))) return false;
    const normal = normaliseEntry(definition);
    if ('faults' in normal) return false;
    const config = program === undefined ? normal.config : { ...normal.config, command: program };
    return (
      trusted.length > 0 && refusalOf(rules.policy, { name: '', scope: 'project', config }) === undefined
    );
  };

  return approvals;
}

async function askPerson(
  ask: NonNullable<ApprovalsOptions['ask']>,
  request: ApprovalRequest,
): Promise<ApprovalDecision> {
  for (let details = 0; details <= MAX_DETAILS; details++) {
    const answer: unknown = await ask(request, { details: details > 0 });
    if (answer === 'once' || answer === 'always' || answer === 'no' || answer === 'never') return answer;
    if (answer !== 'details')
      throw new FittingsError('CALLBACK_FAILED', 'The approval dialogue gave no known answer.');
  }
  return 'no';
}

import { problem, type ConfigProblem } from '../problems.js';
import type { ConfigScope } from '../layout/scopes.js';
import { nameSkeleton } from '../server-names.js';
import type { Definition } from '../entry/definition.js';
import type { Evaluation } from './evaluate-definition.js';
import type { Provenance, ServerEntry } from './server-entry.js';

/**
 * Decides for each name which definition counts. The highest rank wins whole: no field is ever taken from another
 * definition. One that came with the project counts only once it is approved and sound; until then it is as if it
 * were not there, so that a project can't switch a server of the user off by naming it.
 */
export async function resolvePrecedence(
  definitions: readonly Definition[],
  order: readonly ConfigScope[],
  projectId: string,
  evaluate: (definition: Definition) => Promise<Evaluation>,
): Promise<readonly ServerEntry[]> {
  const entries: ServerEntry[] = [];
  const trustedNames = new Set(definitions.filter(({ origin }) => origin.trusted).map(({ name }) => name));
  const trustedSkeletons = new Map([...trustedNames].map((name) => [nameSkeleton(name), name]));

  for (const group of groupByName(definitions, order)) {
    let winner: Definition | undefined;
    for (const definition of group) {
      if (winner !== undefined) {
        entries.push(entryOf(definition, projectId, replacedBy(definition, winner)));
        continue;
      }
      const imitated = definition.origin.trusted
        ? undefined
        : trustedSkeletons.get(nameSkeleton(definition.name));
      const evaluation =
        imitated !== undefined && imitated !== definition.name
          ? imitation(definition, imitated)
          : await evaluate(definition);
      entries.push(entryOf(definition, projectId, evaluation));
      if (definition.origin.trusted || evaluation.status === 'ready') winner = definition;
    }
  }
  return entries;
}

/** Names that a person can mistake for one another, among servers that are ready. */
export function confusableNames(entries: readonly ServerEntry[]): readonly ConfigProblem[] {
  const seen = new Map<string, ServerEntry>();
  const problems: ConfigProblem[] = [];
  for (const entry of entries.filter(({ status }) => status === 'ready')) {
    const skeleton = nameSkeleton(entry.name);
    const other = seen.get(skeleton);
    if (other === undefined) seen.set(skeleton, entry);
    else {
      const location = { file: entry.file, line: entry.line };
      const message = `The names "${entry.name}" and "${other.name}" are easily mistaken for one another.`;
      problems.push(problem('NAME_CONFUSABLE', message, { location, server: entry.name }));
    }
  }
  return problems;
}

/** In the order in which the names first appear; within a name, highest rank first. */
function groupByName(
  definitions: readonly Definition[],
  order: readonly ConfigScope[],
): readonly (readonly Definition[])[] {
  const groups = new Map<string, Definition[]>();
  for (const definition of definitions) {
    const group = groups.get(definition.name);
    if (group === undefined) groups.set(definition.name, [definition]);
    else group.push(definition);
  }
  const rank = ({ origin }: Definition): number => order.indexOf(origin.scope);
  return [...groups.values()].map((group) => group.toSorted((a, b) => rank(b) - rank(a)));
}

function imitation(definition: Definition, imitated: string): Evaluation {
  const message = `The name can be mistaken for your server "${imitated}".`;
  const hint = 'Give it another name.';
  const details = {
    location: definition.locationOf(''),
    server: definition.name,
    hint,
    severity: 'error',
  } as const;
  return { status: 'invalid', problems: [problem('NAME_CONFUSABLE', message, details)] };
}

function replacedBy(
  definition: Definition,
  winner: Definition,
): Omit<Evaluation, 'status'> & { status: 'replaced' } {
  const message = `The definition in ${winner.origin.file} counts instead.`;
  return {
    status: 'replaced',
    problems: [
      problem('SERVER_REPLACED', message, { location: definition.locationOf(''), server: definition.name }),
    ],
  };
}

function entryOf(
  definition: Definition,
  projectId: string,
  evaluation: Omit<Evaluation, 'status'> & Pick<ServerEntry, 'status'>,
): ServerEntry {
  const { name, origin, value } = definition;
  const location = definition.locationOf('');
  const provenance = Object.fromEntries(
    ['', ...definition.paths].map((path): [string, Provenance] => [
      path,
      { scope: origin.scope, ...definition.locationOf(path) },
    ]),
  );
  return {
    name,
    id: [origin.scope, ...(origin.trusted && origin.scope !== 'local' ? [] : [projectId]), name].join(':'),
    scope: origin.scope,
    file: origin.file,
    line: location.line,
    definition: value,
    provenance,
    ...evaluation,
  };
}

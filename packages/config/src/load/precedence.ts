import type { Definition } from '../entry/definition.js';
import type { ConfigScope } from '../layout/scopes.js';
import { problem, type ConfigProblem } from '../problems.js';
import { nameSkeleton } from '../server-names.js';
import type { Evaluation } from './evaluate-definition.js';
import type { ServerEntry } from './loaded-config.js';

/**
 * Decides for each name which definition is used. The one from the scope with the highest precedence wins as a whole; fields
 * are not merged. A definition of the project is skipped until it is approved and valid, so that a project cannot disable
 * a server of the user by reusing its name.
 */
export async function resolvePrecedence(
  definitions: readonly Definition[],
  order: readonly ConfigScope[],
  evaluate: (definition: Definition) => Promise<Evaluation>,
): Promise<readonly ServerEntry[]> {
  const entries: ServerEntry[] = [];
  const trustedNames = new Set(definitions.filter(({ origin }) => origin.trusted).map(({ name }) => name));
  const trustedSkeletons = new Map([...trustedNames].map((name) => [nameSkeleton(name), name]));

  for (const group of groupByName(definitions, order)) {
    let winner: Definition | undefined;
    for (const definition of group) {
      if (winner !== undefined) {
        entries.push(createEntry(definition, replacedBy(definition, winner)));
        continue;
      }
      const imitated = definition.origin.trusted
        ? undefined
        : trustedSkeletons.get(nameSkeleton(definition.name));
      const evaluation =
        imitated !== undefined && imitated !== definition.name
          ? rejectImitation(definition, imitated)
          : await evaluate(definition);
      entries.push(createEntry(definition, evaluation));
      if (definition.origin.trusted || evaluation.status === 'ready') winner = definition;
    }
  }
  return entries;
}

/** Reports ready servers whose names are easily confused. */
export function confusableNames(entries: readonly ServerEntry[]): readonly ConfigProblem[] {
  const seen = new Map<string, ServerEntry>();
  const problems: ConfigProblem[] = [];
  for (const entry of entries.filter(({ status }) => status === 'ready')) {
    const skeleton = nameSkeleton(entry.name);
    const other = seen.get(skeleton);
    if (other === undefined) seen.set(skeleton, entry);
    else {
      const location = { file: entry.file, line: entry.line };
      const message = `The names "${entry.name}" and "${other.name}" are easily confused.`;
      problems.push(problem('NAME_CONFUSABLE', message, { location, server: entry.name }));
    }
  }
  return problems;
}

/** Groups definitions by name, in order of first appearance; within a group, highest precedence first. */
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

function rejectImitation(definition: Definition, imitated: string): Evaluation {
  const message = `The name is easily confused with your server "${imitated}".`;
  const hint = 'Choose another name.';
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
  const message = `The definition in ${winner.origin.file} has higher precedence and is used instead.`;
  return {
    status: 'replaced',
    problems: [
      problem('SERVER_REPLACED', message, { location: definition.locationOf(''), server: definition.name }),
    ],
  };
}

function createEntry(
  definition: Definition,
  evaluation: Omit<Evaluation, 'status'> & Pick<ServerEntry, 'status'>,
): ServerEntry {
  const { name, origin, value } = definition;
  const location = definition.locationOf('');
  const provenance = Object.fromEntries(
    ['', ...definition.paths].map((path): [string, ServerEntry['provenance'][string]] => [
      path,
      { scope: origin.scope, ...definition.locationOf(path) },
    ]),
  );
  return {
    name,
    scope: origin.scope,
    file: origin.file,
    line: location.line,
    definition: value,
    provenance,
    ...evaluation,
  };
}

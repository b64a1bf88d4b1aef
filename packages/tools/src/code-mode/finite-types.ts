import { intersectionOf, type Definition, type ReferenceType, type TypeNode } from './type-node.js';

/**
 * Replaces references by which a named type would stand for itself (`type A = A | string`) by `unknown`. References inside of
 * objects and arrays are allowed to do so.
 */
export function cutCycles(definitions: readonly Definition[], onCut: (pointer: string) => void): void {
  const state = new Map<Definition, 'open' | 'done'>();
  const visit = (definition: Definition): void => {
    state.set(definition, 'open');
    for (const reference of inPlaceReferences(definition.type)) {
      const target = state.get(reference.definition);
      if (target === 'open') {
        reference.cut = true;
        onCut(definition.pointer);
      } else if (target === undefined && !reference.cut) visit(reference.definition);
    }
    state.set(definition, 'done');
  };
  for (const definition of definitions) if (!state.has(definition)) visit(definition);
}

function inPlaceReferences(type: TypeNode): readonly ReferenceType[] {
  if (type.kind === 'reference') return [type];
  return type.kind === 'union' || type.kind === 'intersection' ? type.members.flatMap(inPlaceReferences) : [];
}

/** A compiler multiplies out the unions of an intersection, and gives up at 100 000. */
const MAX_BRANCHES = 1_000;

/** Leaves out parts of intersections whose unions would have too many combinations. Cycles have to be cut before. */
export function limitBranches(definitions: readonly Definition[], onLimit: (pointer: string) => void): void {
  const limiter = new BranchLimiter(onLimit);
  for (const definition of definitions) limiter.branchesOf(definition);
  for (const definition of definitions) definition.type = limiter.inside(definition.type, definition.pointer);
}

/** A type, and how many types a compiler makes of it. */
interface Counted {
  readonly type: TypeNode;
  readonly branches: number;
}

class BranchLimiter {
  readonly #onLimit: (pointer: string) => void;
  readonly #counts = new Map<Definition, number>();

  constructor(onLimit: (pointer: string) => void) {
    this.#onLimit = onLimit;
  }

  branchesOf(definition: Definition): number {
    const known = this.#counts.get(definition);
    if (known !== undefined) return known;
    const { type, branches } = this.#limit(definition.type, definition.pointer);
    definition.type = type;
    this.#counts.set(definition, branches);
    return branches;
  }

  /** Limits what is inside of objects and arrays. The number of branches of every definition has to be known. */
  inside(type: TypeNode, pointer: string): TypeNode {
    const within = (inner: TypeNode): TypeNode => this.inside(this.#limit(inner, pointer).type, pointer);
    switch (type.kind) {
      case 'union':
      case 'intersection':
        return { ...type, members: type.members.map((member) => this.inside(member, pointer)) };
      case 'array':
        return { ...type, element: within(type.element) };
      case 'tuple':
        return {
          ...type,
          elements: type.elements.map((element) => within(element)),
          rest: type.rest === undefined ? undefined : within(type.rest),
        };
      case 'object':
        return {
          ...type,
          properties: type.properties.map((property) => ({ ...property, type: within(property.type) })),
          index: type.index === undefined ? undefined : within(type.index),
        };
      default:
        return type;
    }
  }

  #limit(type: TypeNode, pointer: string): Counted {
    if (type.kind === 'reference') return { type, branches: type.cut ? 1 : this.branchesOf(type.definition) };
    if (type.kind === 'union') {
      const members = type.members.map((member) => this.#limit(member, pointer));
      return {
        type: { ...type, members: members.map((member) => member.type) },
        branches: members.reduce((sum, { branches }) => sum + branches, 0),
      };
    }
    return type.kind === 'intersection'
      ? this.#limitIntersection(type.members, pointer)
      : { type, branches: 1 };
  }

  #limitIntersection(types: readonly TypeNode[], pointer: string): Counted {
    const members = types.map((member) => this.#limit(member, pointer));
    const kept = new Set<Counted>();
    let branches = 1;
    // The smallest first: what is left out is what has the most combinations.
    for (const member of members.toSorted((a, b) => a.branches - b.branches)) {
      if (kept.size > 0 && branches * member.branches > MAX_BRANCHES) continue;
      kept.add(member);
      branches *= member.branches;
    }
    if (kept.size < members.length) this.#onLimit(pointer);
    return {
      type: intersectionOf(members.filter((each) => kept.has(each)).map(({ type }) => type)),
      branches,
    };
  }
}

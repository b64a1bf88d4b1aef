import { isSpecType, type DiscoverResult, type PriorDiscovery } from '@modelcontextprotocol/client';
import type { EraVerdict } from '../../contracts/engine.js';

/** An earlier verdict as SDK v2 takes it; one that can't be read any more means: find out again. */
export function toPrior(verdict: EraVerdict | undefined): PriorDiscovery | undefined {
  if (verdict === undefined) return undefined;
  if (verdict.kind === 'initialize') return { kind: 'legacy' };
  const discover: unknown = verdict.discover;
  if (!isSpecType.DiscoverResult(discover)) return undefined;
  return { kind: 'modern', discover };
}

export function toVerdict(discover: DiscoverResult | undefined, isGuess: boolean): EraVerdict {
  return discover === undefined
    ? { kind: 'initialize', ...(isGuess && { isGuess }) }
    : { kind: 'stateless', discover: { ...discover } };
}

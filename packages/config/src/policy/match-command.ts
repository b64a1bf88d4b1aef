import { globMatches } from './glob.js';

/** At the end of a rule: any further arguments. */
const REST = '**';

/**
 * An allow rule wants the same program, written the same way, and exactly these arguments. A deny rule also catches
 * the program by any path, in any case, with a Windows ending, and with more arguments behind those it names.
 */
export function commandMatches(
  rule: readonly string[],
  command: readonly string[],
  list: 'allow' | 'deny',
): boolean {
  const open = list === 'deny' || rule.at(-1) === REST;
  const patterns = rule.at(-1) === REST ? rule.slice(0, -1) : rule;
  if (open ? command.length < patterns.length : command.length !== patterns.length) return false;
  return patterns.every((pattern, index) => {
    const part = command[index] ?? '';
    if (index > 0 || list === 'allow') return globMatches(pattern, part);
    return globMatches(pattern, part) || globMatches(programName(pattern), programName(part));
  });
}

function programName(program: string): string {
  const name = program.split(/[/\\]/).at(-1) ?? program;
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
}

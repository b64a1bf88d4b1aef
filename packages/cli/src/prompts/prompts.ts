import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

interface TextQuestion {
  readonly message: string;
  readonly placeholder?: string;
  readonly initialValue?: string;
  readonly check?: (value: string) => string | undefined;
}

/** Prompts at the terminal, on stderr, because stdout is for results. Texts have to be printable. */
export type Prompts = Awaited<ReturnType<typeof openPrompts>>;

/** Opens {@link Prompts}. Each rejects with `ABORTED` if the user interrupts it. */
export async function openPrompts(deps: CommandDeps, signal: AbortSignal = deps.signal) {
  const clack = await import('@clack/prompts');
  const { output } = deps;
  const common = { input: deps.stdin, output: deps.stderr, signal };
  /** Returns the answer, unless the user interrupted the prompt. */
  const answered = async <T>(prompt: Promise<T>): Promise<Exclude<T, symbol>> => {
    const value = await prompt;
    if (clack.isCancel(value)) throw new CommandError('ABORTED', 'Interrupted.');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only symbol says that it was interrupted
    return value as Exclude<T, symbol>;
  };
  return {
    /** Prints text before a prompt. */
    tell: (text: string): void => output.note(text),
    /** `check` returns what is wrong with an answer, or undefined. */
    text: ({ check, ...question }: TextQuestion): Promise<string> =>
      answered(
        clack.text({
          ...common,
          ...question,
          ...(check !== undefined && { validate: (text) => check(text ?? '') }),
        }),
      ),
    /** Asks for a text that is not shown. */
    password: (message: string): Promise<string> => answered(clack.password({ ...common, message })),
    confirm: (message: string, initialValue = true): Promise<boolean> =>
      answered(clack.confirm({ ...common, message, initialValue })),
    async select<Value extends string>(message: string, choices: readonly Choice<Value>[]): Promise<Value> {
      const value = await answered(clack.select({ ...common, message, options: optionsOf(choices) }));
      const chosen = choices.find((choice) => choice.value === value);
      if (chosen === undefined) throw new CommandError('ABORTED', 'Interrupted.');
      return chosen.value;
    },
    async selectMany<Value extends string>(
      message: string,
      choices: readonly Choice<Value>[],
    ): Promise<readonly Value[]> {
      const options = optionsOf(choices);
      const values = await answered(clack.multiselect({ ...common, message, options, required: false }));
      return choices.map(({ value }) => value).filter((value) => values.includes(value));
    },
  };
}

function optionsOf(choices: readonly Choice<string>[]): { value: string; label: string; hint?: string }[] {
  return choices.map(({ value, label, hint }) => ({ value, label, ...(hint !== undefined && { hint }) }));
}

import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** Prompts at the terminal. Each rejects with `ABORTED` if the user interrupts it. */
export interface Prompts {
  /** Prints text before a prompt. */
  tell(text: string): void;
  text(question: {
    readonly message: string;
    readonly placeholder?: string | undefined;
    readonly initialValue?: string | undefined;
    /** Returns what is wrong with an answer, or undefined. */
    readonly check?: ((value: string) => string | undefined) | undefined;
  }): Promise<string>;
  /** Asks for a text that is not shown. */
  password(message: string): Promise<string>;
  confirm(message: string, initialValue?: boolean): Promise<boolean>;
  select<Value extends string>(message: string, choices: readonly Choice<Value>[]): Promise<Value>;
  selectMany<Value extends string>(
    message: string,
    choices: readonly Choice<Value>[],
    initialValues?: readonly Value[],
  ): Promise<readonly Value[]>;
}

/** Opens prompts on stderr, because stdout is for results. Texts have to be printable. */
export async function openPrompts(deps: CommandDeps, signal: AbortSignal = deps.signal): Promise<Prompts> {
  const clack = await import('@clack/prompts');
  const { output } = deps;
  const common = { input: deps.stdin, output: deps.stderr, signal };
  return {
    tell: (text) => output.note(text),
    async text({ message, placeholder, initialValue, check }) {
      const value = await clack.text({
        ...common,
        message,
        ...(placeholder !== undefined && { placeholder }),
        ...(initialValue !== undefined && { initialValue }),
        ...(check !== undefined && { validate: (text) => check(text ?? '') }),
      });
      return clack.isCancel(value) ? giveUp() : value;
    },
    async password(message) {
      const value = await clack.password({ ...common, message });
      return clack.isCancel(value) ? giveUp() : value;
    },
    async confirm(message, initialValue = true) {
      const value = await clack.confirm({ ...common, message, initialValue });
      return clack.isCancel(value) ? giveUp() : value;
    },
    async select(message, choices) {
      const value = await clack.select({ ...common, message, options: optionsOf(choices) });
      return choices.find((choice) => choice.value === value)?.value ?? giveUp();
    },
    async selectMany(message, choices, initialValues = []) {
      const values = await clack.multiselect({
        ...common,
        message,
        options: optionsOf(choices),
        initialValues: [...initialValues],
        required: false,
      });
      if (clack.isCancel(values)) return giveUp();
      return choices.map(({ value }) => value).filter((value) => values.includes(value));
    },
  };
}

function optionsOf(choices: readonly Choice<string>[]): { value: string; label: string; hint?: string }[] {
  return choices.map(({ value, label, hint }) => ({ value, label, ...(hint !== undefined && { hint }) }));
}

function giveUp(): never {
  throw new CommandError('ABORTED', 'Interrupted.');
}

import type { Style } from './style.js';

export interface BarState {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const WIDTH = 24;

/** `████████░░░░░░░░  33 %  4 of 12  message`; without a total, how far it is. `message` is fit to show already. */
export function progressLine({ progress, total, message = '' }: BarState, style: Style): string {
  const text = message === '' ? '' : `  ${message}`;
  if (total === undefined || !(total > 0)) return `${style.cyan('…')} ${amount(progress)}${text}`;
  const share = Math.min(1, Math.max(0, progress / total));
  const full = Math.round(share * WIDTH);
  const bar = style.cyan('█'.repeat(full)) + style.dim('░'.repeat(WIDTH - full));
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return `${bar} ${percent}  ${amount(progress)} of ${amount(total)}${text}`;
}

function amount(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

/** How long the process may stay alive after a command has ended and its output was read, in milliseconds. */
const GRACE_MS = 2_000;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Says when the user or the system stops this process. Signals are handled until it is disposed of. */
export interface ProcessStop extends Disposable {
  /** Aborted by the first signal, and when the reader of the watched output has closed it. */
  readonly signal: AbortSignal;
  /** Opens stdout and stderr, whose reader may close them. What does not write to these streams need not open them. */
  watchOutput(): void;
  /** Ends the process with the code of its signal, else with this one, as soon as nothing is left to do. */
  end(code: number | undefined): void;
}

/** Listens for Ctrl-C, SIGTERM and SIGHUP. The second of them ends the process at once. */
export function watchProcessStop(): ProcessStop {
  const abort = new AbortController();
  let endedBy: number | undefined;
  const listeners = Object.entries(SIGNALS).map(([name, code]) => {
    const listener = (): void => {
      if (abort.signal.aborted) process.exit(code);
      endedBy = code;
      abort.abort(new Error(name));
    };
    process.on(name, listener);
    return [name, listener] as const;
  });
  // The reader of a pipe has closed it, as in `fittings list tools | head`.
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    endedBy ??= 0;
    abort.abort(error);
  };
  return {
    signal: abort.signal,
    watchOutput() {
      // Not removed: a reader may close the output when the command has ended and a part of it is still unread.
      for (const stream of [process.stdout, process.stderr]) stream.on('error', onError);
    },
    end(code) {
      process.exitCode = endedBy ?? code;
      // A result that a slow reader has not read yet is not lost.
      setTimeout(() => process.stdout.write('', () => process.exit()), GRACE_MS).unref();
    },
    [Symbol.dispose]() {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}

/** Many requests may share one signal: it gets one listener from all of them, and none once they are done. */
export interface AbortWatch {
  /** Runs `task` when the signal is aborted. The result takes the task back. */
  on(signal: AbortSignal, task: () => void): () => void;
}

export function createAbortWatch(): AbortWatch {
  const watched = new Map<AbortSignal, { readonly tasks: Set<() => void>; readonly listener: () => void }>();

  const watch = (signal: AbortSignal) => {
    const tasks = new Set<() => void>();
    const listener = (): void => {
      watched.delete(signal);
      for (const task of tasks) task();
    };
    const entry = { tasks, listener };
    watched.set(signal, entry);
    signal.addEventListener('abort', listener, { once: true });
    return entry;
  };

  return {
    on(signal, task) {
      const { tasks, listener } = watched.get(signal) ?? watch(signal);
      tasks.add(task);
      return () => {
        tasks.delete(task);
        if (tasks.size > 0 || watched.get(signal)?.tasks !== tasks) return;
        watched.delete(signal);
        signal.removeEventListener('abort', listener);
      };
    },
  };
}

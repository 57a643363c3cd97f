import { useCallback, useState } from 'react';

export interface Action<Args extends unknown[] = []> {
  /** Runs the action; true if it succeeded. A second call while one is running does nothing. */
  readonly run: (...args: Args) => Promise<boolean>;
  readonly busy: boolean;
  readonly error: unknown;
  readonly clear: () => void;
}

/** The action of a button: whether it is running, and how it failed. */
export function useAction<Args extends unknown[]>(act: (...args: Args) => Promise<unknown>): Action<Args> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  const run = async (...args: Args): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setError(undefined);
    try {
      await act(...args);
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { run, busy, error, clear: useCallback(() => setError(undefined), []) };
}

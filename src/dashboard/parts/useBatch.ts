import { useEffect, useRef, useState } from 'react';
import { inBatches, type Outcome } from './inBatches.js';

export interface BatchRun {
  /** How far it is; undefined while nothing runs. */
  readonly progress: { readonly done: number; readonly total: number } | undefined;
  readonly run: (
    ids: readonly string[],
    act: (some: string[]) => Promise<readonly string[]>,
    batch?: number,
  ) => Promise<Outcome>;
  /** Ends it after the batch that runs. */
  readonly stop: () => void;
}

/** `inBatches` for a dialog, which shows how far it is. Closing the dialog ends it after the batch that runs. */
export function useBatch(): BatchRun {
  const [progress, setProgress] = useState<BatchRun['progress']>();
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  return {
    progress,
    stop: () => running.current?.abort(),
    run: async (ids, act, batch) => {
      const stopping = new AbortController();
      running.current = stopping;
      try {
        return await inBatches(ids, act, {
          ...(batch !== undefined && { batch }),
          signal: stopping.signal,
          onProgress: (done) => setProgress({ done, total: ids.length }),
        });
      } finally {
        setProgress(undefined);
      }
    },
  };
}

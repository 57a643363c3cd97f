import { useEffect, useRef, useState } from 'react';
import { BATCH, inBatches, type Outcome } from './inBatches.js';

export interface BatchRun {
  /** How far it is; undefined while nothing runs. */
  readonly progress: { readonly done: number; readonly total: number } | undefined;
  readonly run: (
    ids: readonly string[],
    act: (some: string[]) => Promise<readonly string[]>,
    batch?: number,
  ) => Promise<Outcome>;
  /** Ends it after the batch that runs. Undefined if nothing runs, or all of it is one batch, which cannot be stopped. */
  readonly stop: (() => void) | undefined;
  readonly isStopping: boolean;
}

/** `inBatches` for a dialog, which shows how far it is. Closing the dialog ends it after the batch that runs. */
export function useBatch(): BatchRun {
  const [progress, setProgress] = useState<{ done: number; total: number; batch: number }>();
  const [isStopping, setIsStopping] = useState(false);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const stop = (): void => {
    running.current?.abort();
    setIsStopping(true);
  };
  return {
    progress,
    stop: progress && progress.total > progress.batch ? stop : undefined,
    isStopping,
    run: async (ids, act, batch = BATCH) => {
      const stopping = new AbortController();
      running.current = stopping;
      try {
        return await inBatches(ids, act, {
          batch,
          signal: stopping.signal,
          onProgress: (done) => setProgress({ done, total: ids.length, batch }),
        });
      } finally {
        setProgress(undefined);
        setIsStopping(false);
      }
    },
  };
}

import { useEffect, useState } from 'react';
import { readFileFacts, type FileFacts } from './fileFacts.js';

/** Null for files that the browser cannot open. Kept while the files are, so that another visit reads nothing again. */
const read = new WeakMap<File, FileFacts | null>();

/** The facts of these files, as they become known: one file after the other. */
export function useFileFacts(files: readonly File[]): ReadonlyMap<File, FileFacts | null> {
  const [, setCount] = useState(0);
  useEffect(() => {
    let isLive = true;
    void (async () => {
      for (const file of files) {
        if (read.has(file)) continue;
        const facts = await readFileFacts(file);
        read.set(file, facts);
        if (!isLive) return;
        setCount((count) => count + 1);
      }
    })();
    return () => {
      isLive = false;
    };
  }, [files]);
  return new Map(files.flatMap((file) => (read.has(file) ? [[file, read.get(file) ?? null] as const] : [])));
}

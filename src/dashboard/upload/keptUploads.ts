import { keep, readKept } from '../session/keptInBrowser.js';
import type { KeptUpload } from './types.js';

const KEPT = 'uploads';

/** The unfinished uploads of one account, kept over reloads of the page. */
export function readKeptUploads(accountId: string): readonly KeptUpload[] {
  const kept = readKept(KEPT, accountId);
  return Array.isArray(kept) ? (kept as KeptUpload[]) : [];
}

export function keepUploads(accountId: string, uploads: readonly KeptUpload[]): void {
  const kept = uploads.map(({ videoId, url, title, fileName, sizeBytes, lastModified }) => ({
    videoId,
    url,
    title,
    fileName,
    sizeBytes,
    lastModified,
  }));
  keep(KEPT, accountId, kept);
}

/** Whether it is the same file, as far as a page can tell without reading it completely. */
export function isSameFile(kept: KeptUpload, file: File): boolean {
  return kept.fileName === file.name && kept.sizeBytes === file.size && kept.lastModified === file.lastModified;
}

import type { KeptUpload } from './types.js';

const KEY = 'dhara.uploads';

/** The unfinished uploads of one account, kept over reloads of the page. */
export function readKept(accountId: string): readonly KeptUpload[] {
  try {
    const kept = JSON.parse(localStorage.getItem(`${KEY}.${accountId}`) ?? '[]') as unknown;
    return Array.isArray(kept) ? (kept as KeptUpload[]) : [];
  } catch {
    // Storage is disabled, or something else wrote it: then there is nothing to resume.
    return [];
  }
}

export function writeKept(accountId: string, uploads: readonly KeptUpload[]): void {
  const kept = uploads.map(({ videoId, url, title, fileName, sizeBytes, lastModified }) => ({
    videoId,
    url,
    title,
    fileName,
    sizeBytes,
    lastModified,
  }));
  try {
    localStorage.setItem(`${KEY}.${accountId}`, JSON.stringify(kept));
  } catch {
    // Full or switched off: uploads then live as long as the page.
  }
}

/** Whether it is the same file, as far as a page can tell without reading it completely. */
export function isSameFile(kept: KeptUpload, file: File): boolean {
  return kept.fileName === file.name && kept.sizeBytes === file.size && kept.lastModified === file.lastModified;
}

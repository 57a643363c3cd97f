import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export const POSTER_FILE = 'poster.jpg';
const CANDIDATE = /^poster_\d+\.jpg$/;

/**
 * Keeps the best poster candidate and removes the others.
 *
 * The best one shows most detail, and JPEG size measures that: at equal quality, black frames, fades and titles are
 * small files.
 * @returns its name and size, or null if there was no candidate
 */
export async function choosePoster(outputDir: string): Promise<{ path: string; sizeBytes: number } | null> {
  const names = (await readdir(outputDir)).filter((name) => CANDIDATE.test(name));
  const candidates = await Promise.all(
    names.map(async (name) => ({ name, sizeBytes: (await stat(join(outputDir, name))).size })),
  );
  const [best, ...others] = candidates.toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  if (best === undefined) {
    return null;
  }
  await rename(join(outputDir, best.name), join(outputDir, POSTER_FILE));
  await Promise.all(others.map(({ name }) => rm(join(outputDir, name))));
  return { path: POSTER_FILE, sizeBytes: best.sizeBytes };
}

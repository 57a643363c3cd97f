import { open } from 'node:fs/promises';

/** Syncs a folder. A new file name is durable only after its folder is synced. */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

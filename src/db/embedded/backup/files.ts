import { open } from 'node:fs/promises';

/** A new name is in its folder for good only once the folder is written. */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

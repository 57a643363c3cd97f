import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { filesBelow } from '../support/filesBelow.js';
import { mediaFolder } from '../support/media.js';

test('what is removed while a folder is read is left out', async () => {
  await using folder = await mediaFolder();
  for (const name of ['a', 'b', 'c']) {
    await mkdir(join(folder.path, name, 'deep'), { recursive: true });
    await writeFile(join(folder.path, name, 'deep', 'file'), name);
  }
  await writeFile(join(folder.path, 'gone'), 'gone');
  const read: string[] = [];
  for await (const { bytes } of filesBelow(folder.path)) {
    read.push(bytes.toString());
    if (read.length > 1) continue;
    // Whichever came first, all but the last is gone before it is reached.
    for (const name of ['a', 'b', 'gone']) await rm(join(folder.path, name), { recursive: true, force: true });
  }
  expect(new Set(read)).toEqual(new Set([read[0], 'c']));
});

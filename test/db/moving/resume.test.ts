import { access, appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { ArchiveFile } from '../../../src/adapters/archive/archiveFile.js';
import { TarWriter } from '../../../src/adapters/archive/tarArchive.js';
import {
  exportAccount,
  type ExportReport,
  type ExportState,
} from '../../../src/domain/operations/moving/exportAccount.js';
import { StatementService } from '../../../src/domain/payments/billing/statement.service.js';
import type { ObjectStore } from '../../../src/ports/objectStore.js';
import { filesOf } from '../../support/moving/forge.js';
import { addVideo } from '../../support/moving/library.js';
import { Side } from '../../support/moving/side.js';

const RENDITIONS = ['1080p', '720p', '480p', '360p', 'audio'];

let from: Side;
let accountId: string;
let folder: string;
let path: string;

beforeAll(async () => {
  from = await Side.open('https://old.example');
  accountId = await from.account();
  for (const title of ['One', 'Two'])
    await addVideo(from, accountId, { status: 'ready', title, renditions: RENDITIONS });
  folder = await mkdtemp(join(tmpdir(), 'dhara-export-'));
});
beforeEach(() => {
  path = join(folder, `${Math.random().toString(36).slice(2)}.tar`);
});
afterAll(async () => {
  await from?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Exports with pages of three entries. The process "dies" before it reads the object after `reads` others. */
async function exportTo(file: string, reads = Number.POSITIVE_INFINITY): Promise<ExportReport> {
  let read = 0;
  const get: ObjectStore['get'] = (key, range) => {
    read += 1;
    return read > reads ? Promise.reject(new Error('killed')) : from.store.get(key, range);
  };
  const store = Object.assign(Object.create(from.store) as ObjectStore, { get });
  const { db, masterKeys, key, origin, wallet } = from;
  const archive = await ArchiveFile.open(file);
  const report = await exportAccount(
    { db, store, masterKeys, key, origin, statements: new StatementService({ db, wallet }) },
    {
      accountId,
      passphrase: null,
      archive: new TarWriter(archive.output),
      scratch: archive.scratch,
      resume: archive.state as ExportState | null,
      onCheckpoint: (state) => archive.keep(state),
      entriesPerPage: 3,
    },
  );
  await archive.finish();
  return report;
}

describe('an export to a file', () => {
  it('continues where it was killed, and gives the archive of one go', async () => {
    const whole = await exportTo(path);
    expect(await readdir(folder)).toEqual([path.slice(folder.length + 1)]);
    const expected = (await filesOf(await readFile(path))).filter(({ path: name }) => name.startsWith('objects/'));
    expect(expected).toHaveLength(whole.objects);
    expect(whole.objects).toBeGreaterThan(25);

    const broken = join(folder, 'broken.tar');
    // Each try dies a little later; the last one ends.
    let tries = 0;
    for (const reads of [0, 1, 3, 4, 7, 2]) {
      await expect(exportTo(broken, reads)).rejects.toThrow('killed');
      // What a dying process had not written completely.
      await appendFile(join(`${broken}.part`, 'archive'), 'x'.repeat(700));
      await expect(access(broken)).rejects.toThrow('ENOENT');
      tries += 1;
    }
    expect(tries).toBe(6);
    const report = await exportTo(broken);
    expect({ objects: report.objects, bytes: report.bytes }).toEqual({ objects: whole.objects, bytes: whole.bytes });
    const bytes = await readFile(broken);
    const objects = (await filesOf(bytes)).filter(({ path: name }) => name.startsWith('objects/'));
    expect(objects).toEqual(expected);

    const to = await Side.open('https://new.example');
    try {
      await to.import(bytes, from, null);
      expect(await to.objects(accountId)).toEqual(await from.objects(accountId));
    } finally {
      await to.close();
    }
  });

  it('does not continue if something was deleted meanwhile', async () => {
    await expect(exportTo(path, 5)).rejects.toThrow('killed');
    const removePrefix = (value: string) =>
      from.query(
        `update stored_object set removed_at = ${value} where account_id = $1 and key like 'videos/%'`,
        accountId,
      );
    await removePrefix('now()');
    await expect(exportTo(path)).rejects.toMatchObject({ code: 'OBJECT_MISSING' });
    await removePrefix('null');
    await exportTo(path);
  });

  it('does not continue the archive of another account', async () => {
    await expect(exportTo(path, 5)).rejects.toThrow('killed');
    const mine = accountId;
    accountId = await from.account();
    try {
      await expect(exportTo(path)).rejects.toMatchObject({ code: 'ACCOUNT_NOT_MOVABLE' });
    } finally {
      accountId = mine;
    }
  });

  it('leaves no folder if it ends before there is anything to continue', async () => {
    const archive = await ArchiveFile.open(path);
    archive.output.write('x');
    await archive.leave();
    await expect(access(`${path}.part`)).rejects.toThrow('ENOENT');
  });
});

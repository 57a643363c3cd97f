import { chown, lstat, mkdir, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { KEPT, MAKE_NOTE, READ_NOTES, Scene } from '../../support/database/embeddedScene.js';
import { query } from '../../support/database/query.js';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(() => scene.close());

describe.runIf(isRoot)('as root', () => {
  it('runs PostgreSQL as another user', async () => {
    const postgres = await scene.start();

    const { uid } = await stat(`/proc/${postgres.pid()}`);
    expect(uid).not.toBe(0);
    expect((await stat(join(scene.dataDir, 'postgres/cluster'))).uid).toBe(uid);
  });

  it('works below a directory that only root may enter', async () => {
    const closedDir = join(scene.dataDir, 'closed');
    await mkdir(closedDir, { mode: 0o700 });
    scene.dataDir = join(closedDir, 'data');

    const first = await scene.start();
    const place = join(scene.dataDir, 'postgres');
    const home = await realpath(place);
    await query(first.migrationUrl, MAKE_NOTE);
    await first.stop();

    expect((await lstat(place)).isSymbolicLink()).toBe(true);
    const second = await scene.start();
    await expect(query(second.migrationUrl, READ_NOTES)).resolves.toEqual(KEPT);
    await second.stop();
    await rm(home, { recursive: true });
  });

  it('reports if the database that was kept elsewhere is gone', async () => {
    const closedDir = join(scene.dataDir, 'closed');
    await mkdir(closedDir, { mode: 0o700 });
    scene.dataDir = join(closedDir, 'data');
    await (await scene.start()).stop();
    await rm(await realpath(join(scene.dataDir, 'postgres')), { recursive: true });

    await expect(scene.start()).rejects.toThrow('points to a database that is gone');
  });

  it('needs no other user if it runs as an ordinary user', async () => {
    await chown(scene.dataDir, NOBODY, NOBODY);
    const asNobody = ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups', '--'];

    const { facts } = await scene.startHolder(asNobody);

    expect((await stat(`/proc/${facts.postgresPid}`)).uid).toBe(NOBODY);
    await expect(query(facts.migrationUrl, 'select 1 as one')).resolves.toEqual([{ one: 1 }]);
  });
});

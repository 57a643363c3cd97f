import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { makeDemoDataDir } from '../../support/demoDataDir.js';
import { ServiceProcess, signIn, type Demo } from '../../support/service.js';
import { embeddedSuperuserUrl } from '../../support/browser/ledgerSeed.js';
import { query } from '../../support/database/query.js';

const MOVE = `mutation ($n: String!) {
  allocateCredits(amount: "1", from: MASTER, to: CLOUD, idempotencyKey: $n) { __typename } }`;

describe('a service that loses its database and restores it', () => {
  let folder: Awaited<ReturnType<typeof makeDemoDataDir>>;
  let settings: { DATA_DIR: string; PORT: string };
  let service: ServiceProcess;
  let demo: Demo;
  let backup: string;

  beforeAll(async () => {
    folder = await makeDemoDataDir();
    backup = join(folder.path, 'monday.backup');
    settings = { DATA_DIR: folder.path, PORT: String(await findFreePort()) };
    await start();
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await folder?.remove();
  });

  async function start(): Promise<void> {
    service = ServiceProcess.start(['all'], settings);
    demo = await service.demo();
  }

  async function dhara(...args: string[]): Promise<{ code: number | null; output: string }> {
    const process = ServiceProcess.start(args, settings);
    return { code: await process.exit(), output: process.output };
  }

  async function post(n: string): Promise<void> {
    const response = await fetch(`${demo.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: demo.url, cookie: await signIn(demo) },
      body: JSON.stringify({ query: MOVE, variables: { n } }),
    });
    expect(await response.json()).toMatchObject({ data: { allocateCredits: {} } });
  }

  async function plays(): Promise<number> {
    const headers = { 'x-service-key': demo.apiKey };
    const minted = await fetch(`${demo.url}/v1/video/${demo.videoId}/playback-token`, { method: 'POST', headers });
    const { data } = (await minted.json()) as { data: { manifestUrl: string } };
    const manifest = (await (await fetch(data.manifestUrl)).json()) as { data: { url: string } };
    return (await fetch(manifest.data.url)).status;
  }

  it('names what was lost, continues once a person has given it up, and still finds a changed past', async () => {
    await post('one');
    const kept = await seal();
    const taken = await dhara('backup', '--to', backup);
    expect(taken).toMatchObject({ code: 0 });
    expect(taken.output).toMatch(/includes the master key/);
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    await post('two');
    expect(await seal()).toBe(kept + 1);
    await post('three');
    expect(await seal()).toBe(kept + 2);

    expect((await dhara('restore', '--from', backup)).output).toMatch(/already running/);
    await service.stop();
    expect((await dhara('restore', '--from', backup)).output).toMatch(/Add --replace/);
    await rm(join(folder.path, 'postgres'), { recursive: true });
    await rm(join(folder.path, 'master.key'));
    expect(await dhara('restore', '--from', backup)).toMatchObject({ code: 0 });

    await start();
    expect(await plays()).toBe(200);
    const faulty = await dhara('ledger', 'verify');
    expect(faulty.code).toBe(1);
    expect(faulty.output).toMatch(new RegExp(`block ${kept + 1}: expected .*\n.*block ${kept + 2}: expected`));
    const shown = await dhara('ledger', 'reconcile-seals');
    expect(shown.code).toBe(1);
    expect(shown.output).toMatch(/lost 2 blocks with 4 entries/);
    expect((await dhara('ledger', 'reconcile-seals', '--blocks', `${kept}-${kept + 2}`, '--reason', 'x')).code).toBe(1);
    const given = await dhara(
      'ledger',
      'reconcile-seals',
      '--blocks',
      `${kept + 1}-${kept + 2}`,
      '--reason',
      'the disk was lost',
    );
    expect(given).toMatchObject({ code: 0 });
    expect(await dhara('ledger', 'verify')).toMatchObject({ code: 0 });

    await post('four');
    expect((await dhara('ledger', 'seal')).code).toBe(0);
    expect(await dhara('ledger', 'verify')).toMatchObject({ code: 0 });
    const archive = await readFile(join(folder.path, 'seals', 'ledger-seals.jsonl'), 'utf8');
    expect(archive).toMatch(/the disk was lost/);

    await asSuperuser(
      `set session_replication_role = replica;
       update ledger_entry set created_at = created_at - interval '1 hour' where version = 1`,
    );
    const changed = await dhara('ledger', 'verify');
    expect(changed.code).toBe(1);
    expect(changed.output).toMatch(/block 1/);
  });

  /** The number of the last block. The nightly run of the service may already have sealed the postings. */
  async function seal(): Promise<number> {
    const { output } = await dhara('ledger', 'seal');
    expect(output).toMatch(/Block \d+ seals|Nothing was posted/);
    const archive = await readFile(join(folder.path, 'seals', 'ledger-seals.jsonl'), 'utf8');
    return Math.max(...Array.from(archive.matchAll(/"blockNo":(\d+)/g), ([, block]) => Number(block)));
  }

  async function asSuperuser(sql: string): Promise<void> {
    await query(await embeddedSuperuserUrl(folder.path), sql);
  }
});

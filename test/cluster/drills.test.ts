import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeClip, mediaFolder } from '../support/media.js';
import { DRILLS } from './drills.js';
import { Cluster } from './harness/cluster.js';
import { canMakeNetworks } from './harness/network.js';
import { rehearse, rowOf } from './harness/rehearse.js';
import { makeTenant, type Tenant } from './harness/tenant.js';

/** How long S3 is away. */
const AWAY_MS = Number(process.env['CLUSTER_AWAY_SECONDS'] ?? 120) * 1000;

describe.runIf(canMakeNetworks())('under load, a cluster', () => {
  let media: Awaited<ReturnType<typeof mediaFolder>>;
  let clip: Buffer;
  let cluster: Cluster;
  let tenant: Tenant;

  beforeAll(async () => {
    media = await mediaFolder();
    clip = await readFile(await makeClip(media.path, { durationSeconds: 10, width: 640, height: 360 }));
    cluster = await Cluster.start();
    tenant = await makeTenant(cluster);
  });

  afterAll(async () => {
    await cluster?.stop();
    await media?.[Symbol.asyncDispose]();
  });

  it.each(DRILLS)('loses nothing and counts nothing twice: $name', async (drill) => {
    const shown = await rehearse(cluster, tenant, drill, { clip, awayMs: AWAY_MS });
    process.stdout.write(`${rowOf(shown)}\n`);
  });

  it('has nothing stuck afterwards', async () => {
    const doctor = await cluster.command('doctor');
    expect(doctor, doctor.output).toMatchObject({ code: 0 });
  });
});

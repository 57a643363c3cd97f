import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DRILLS } from './drills.js';
import { Cluster } from './harness/cluster.js';
import { canMakeNetworks } from './harness/network.js';
import { rehearse, rowOf } from './harness/rehearse.js';
import { makeTenant, type Tenant } from './harness/tenant.js';
import { makeUpload } from './harness/uploads.js';

/** How long S3 is away. */
const AWAY_MS = Number(process.env['CLUSTER_AWAY_SECONDS'] ?? 120) * 1000;

describe.runIf(canMakeNetworks())('under load, a cluster', () => {
  let clip: Buffer;
  let cluster: Cluster;
  let tenant: Tenant;

  beforeAll(async () => {
    clip = await makeUpload();
    cluster = await Cluster.start();
    tenant = await makeTenant(cluster);
  });

  afterAll(() => cluster?.stop());

  it.each(DRILLS)('loses nothing and counts nothing twice: $name', async (drill) => {
    const shown = await rehearse(cluster, tenant, drill, { clip, awayMs: AWAY_MS });
    process.stdout.write(`${rowOf(shown)}\n`);
  });

  it('has nothing stuck afterwards', async () => {
    const doctor = await cluster.command('doctor');
    expect(doctor, doctor.output).toMatchObject({ code: 0 });
  });
});

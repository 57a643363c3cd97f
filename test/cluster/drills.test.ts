import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { TEST_MS } from '../support/deadlines.js';
import { DRILLS } from './drills.js';
import { Cluster } from './harness/cluster.js';
import { canMakeNetworks } from './harness/network.js';
import { rehearse, rowOf, type Shown } from './harness/rehearse.js';
import { expectNothingStuck } from './harness/settle.js';
import { makeTenant, type Tenant } from './harness/tenant.js';
import { makeUpload } from './harness/uploads.js';

/** How long S3 is away. */
const AWAY_MS = Number(process.env['CLUSTER_AWAY_SECONDS'] ?? 120) * 1000;
/** How often each drill is made. The table has the medians. */
const RUNS = Number(process.env['CLUSTER_RUNS'] ?? 1);
/** A pause that even a busy machine does not make, and that is shorter than what a new leader takes. */
const UNNOTICED_MS = 5_000;

describe.runIf(canMakeNetworks())('under load, a cluster', () => {
  let clip: Buffer;
  let cluster: Cluster;
  let tenant: Tenant;
  const rows: string[] = [];

  beforeAll(async () => {
    clip = await makeUpload();
    cluster = await Cluster.start();
    tenant = await makeTenant(cluster);
  });

  afterAll(async () => {
    process.stdout.write(`medians of ${RUNS} runs:\n${rows.join('\n')}\n`);
    await cluster?.stop();
  });

  it.each(DRILLS)(
    'loses nothing and counts nothing twice: $name',
    async (drill) => {
      const runs: Shown[] = [];
      while (runs.length < RUNS) {
        const shown = await rehearse(cluster, tenant, drill, { clip, awayMs: AWAY_MS });
        process.stdout.write(`run ${runs.push(shown)} ${rowOf([shown])}\n`);
      }
      rows.push(rowOf(runs));
      if (!drill.isUnnoticed) return;
      expect(runs.map(({ refusals }) => refusals)).toEqual(runs.map(() => 0));
      const pauses = runs.flatMap(({ tokenGapsMs, postingGapsMs }) => [...tokenGapsMs, ...postingGapsMs]);
      expect(Math.max(...pauses)).toBeLessThan(UNNOTICED_MS);
    },
    RUNS * TEST_MS,
  );

  it('has nothing stuck afterwards', () => expectNothingStuck(cluster));
});

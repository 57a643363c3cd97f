import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { TEST_MS } from '../support/deadlines.js';
import { Chance } from '../support/proofs/chance.js';
import { DRILLS } from './drills.js';
import { readBooks } from './harness/books.js';
import { Cluster } from './harness/cluster.js';
import { Load } from './harness/load.js';
import { MemoryCurve } from './harness/memory.js';
import { canMakeNetworks } from './harness/network.js';
import { strikeAndMend } from './harness/rehearse.js';
import { expectNothingStuck, settle } from './harness/settle.js';
import { makeTenant, type Tenant } from './harness/tenant.js';
import { makeUpload } from './harness/uploads.js';

const MINUTE_MS = 60_000;
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 60);
/** Two videos are encoded all the time. A pause between uploads leaves processors to other programs. */
const UPLOAD_PAUSE_MS = Number(process.env['SOAK_UPLOAD_PAUSE_SECONDS'] ?? 0) * 1000;
const SAMPLE_EVERY_MS = 5_000;
/** So that there is a fault every minute. */
const AWAY_MS = 15_000;
/** In less time, caches that fill up look like growth. */
const SHORT_MINUTES = 30;
/** More than this is growth: half a gigabyte a day. */
const GROWTH_MB_PER_HOUR = 20;

describe.runIf(canMakeNetworks())('a cluster with a fault every minute', () => {
  let clip: Buffer;
  let cluster: Cluster;
  let tenant: Tenant;

  beforeAll(async () => {
    clip = await makeUpload();
    cluster = await Cluster.start();
    tenant = await makeTenant(cluster);
  });

  afterAll(() => cluster?.stop());

  it(
    `loses nothing in ${MINUTES} minutes, grows no memory, and has nothing stuck`,
    async () => {
      const chance = Chance.of('soak');
      const before = await readBooks(cluster, tenant);
      const load = new Load(cluster, tenant, clip, { uploadPauseMs: UPLOAD_PAUSE_MS });
      const processes = [...cluster.apis, ...cluster.workers];
      const curves = processes.map(
        ({ pid }, nth) => new MemoryCurve(`${nth < cluster.apis.length ? 'api' : 'worker'} ${pid}`, pid),
      );
      const sampling = setInterval(() => void Promise.all(curves.map((curve) => curve.sample())), SAMPLE_EVERY_MS);
      try {
        const endAtMs = performance.now() + MINUTES * MINUTE_MS;
        while (performance.now() < endAtMs) {
          const nextAtMs = performance.now() + MINUTE_MS;
          const drill = DRILLS[chance.below(DRILLS.length)]!;
          process.stdout.write(`soak: ${drill.name}\n`);
          await strikeAndMend(drill, { cluster, load, awayMs: AWAY_MS });
          await delay(Math.max(0, nextAtMs - performance.now()));
        }
      } catch (error) {
        load.abandon();
        throw error;
      } finally {
        clearInterval(sampling);
      }
      const { tokens, postings, videos } = await settle(cluster, tenant, load, before);
      process.stdout.write(
        `soak: tokens ${tokens.join(' / ')}, postings ${postings.join(' / ')}, videos ${videos.join(' / ')}\n`,
      );
      for (const curve of curves) {
        const { perHour, error } = curve.slope();
        process.stdout.write(
          `soak: ${curve.name} ${curve.last.toFixed(0)} MB, ${perHour.toFixed(1)} ± ${error.toFixed(1)} MB per hour\n`,
        );
        if (MINUTES >= SHORT_MINUTES) expect(perHour - 2 * error, curve.name).toBeLessThan(GROWTH_MB_PER_HOUR);
      }
      await expectNothingStuck(cluster);
    },
    MINUTES * MINUTE_MS + TEST_MS,
  );
});

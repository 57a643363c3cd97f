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
/** More than this is growth. What a process occupies includes garbage that it has not collected yet. */
const GROWTH_MB_PER_HOUR = { resident: 5, 'in use': 1 };

describe.runIf(canMakeNetworks())('a cluster with a fault every minute', () => {
  let clip: Buffer;
  let cluster: Cluster;
  let tenant: Tenant;

  beforeAll(async () => {
    clip = await makeUpload();
    cluster = await Cluster.start({ inspects: true });
    tenant = await makeTenant(cluster);
  });

  afterAll(() => cluster?.stop());

  it(
    `loses nothing in ${MINUTES} minutes, grows no memory, and has nothing stuck`,
    async () => {
      const chance = Chance.of('soak');
      const before = await readBooks(cluster, tenant);
      const load = new Load(cluster, tenant, clip, { uploadPauseMs: UPLOAD_PAUSE_MS });
      const curves = await curvesOf(cluster);
      const sample = (kind: keyof typeof curves) => Promise.all(curves[kind].map((curve) => curve.sample()));
      const sampling = setInterval(() => void sample('resident'), SAMPLE_EVERY_MS);
      try {
        const endAtMs = performance.now() + MINUTES * MINUTE_MS;
        while (performance.now() < endAtMs) {
          const nextAtMs = performance.now() + MINUTE_MS;
          const drill = DRILLS[chance.below(DRILLS.length)]!;
          process.stdout.write(`soak: ${drill.name}\n`);
          await strikeAndMend(drill, { cluster, load, awayMs: AWAY_MS });
          await delay(Math.max(0, nextAtMs - performance.now()));
          await sample('in use');
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
      const growing: string[] = [];
      for (const kind of ['resident', 'in use'] as const) {
        for (const curve of curves[kind]) {
          const { perHour, error } = curve.slope();
          const slope = `${perHour.toFixed(1)} ± ${error.toFixed(1)} MB per hour`;
          const line = `${curve.name} ${curve.last.toFixed(0)} MB ${kind}, ${slope}`;
          process.stdout.write(`soak: ${line}\n`);
          if (perHour - 2 * error >= GROWTH_MB_PER_HOUR[kind]) growing.push(line);
        }
      }
      await expectNothingStuck(cluster);
      if (MINUTES >= SHORT_MINUTES) expect(growing).toEqual([]);
    },
    MINUTES * MINUTE_MS + TEST_MS,
  );
});

/** What each process occupies, and what the second of each two still refers to. */
async function curvesOf({ apis, workers, inspected }: Cluster): Promise<Record<'resident' | 'in use', MemoryCurve[]>> {
  const named = Object.entries({ api: apis, worker: workers }).flatMap(([role, processes]) =>
    processes.map((process) => ({ process, name: `${role} ${process.pid}`, port: inspected.get(process) })),
  );
  const inUse = named.flatMap(({ name, port }) => (port === undefined ? [] : [MemoryCurve.inUse(name, port)]));
  return {
    resident: named.map(({ name, process: { pid } }) => MemoryCurve.resident(name, pid)),
    'in use': await Promise.all(inUse),
  };
}

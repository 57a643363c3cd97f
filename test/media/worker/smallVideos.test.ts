import { readdir } from 'node:fs/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { IS_FULL } from '../../support/effort.js';
import { makeClip } from '../../support/media.js';
import { openScene, until, type PipelineScene } from '../../support/worker/pipeline.js';
import { LONG_WAIT_MS, TEST_MS } from '../../support/deadlines.js';

const VIDEOS = IS_FULL ? 500 : 12;
const ACCOUNTS = IS_FULL ? 10 : 3;
const READY_MS = IS_FULL ? 3_600_000 : LONG_WAIT_MS;
const CREDITS = 1_000n;
/** In a codec that must be encoded. */
const CLIP = {
  name: 'small.mkv',
  durationSeconds: 1,
  width: 160,
  height: 120,
  videoCodec: ['-c:v', 'mpeg4', '-q:v', '3'],
};

let scene: PipelineScene;
beforeEach(async () => {
  scene = await openScene({ works: true });
});
afterEach(() => scene.close());

test(
  `${VIDEOS} small videos of ${ACCOUNTS} accounts become ready in fair turns, each is charged once, and nothing stays behind`,
  { timeout: READY_MS + TEST_MS },
  async () => {
    const { pipeline, dir } = scene;
    // All of them wait before the first is taken, account by account.
    await pipeline.worker.stop();
    const clip = await makeClip(dir, CLIP);
    const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => pipeline.account(CREDITS)));
    for (let n = 0; n < VIDEOS; n += 1) {
      await pipeline.uploaded(accounts[Math.floor((n * ACCOUNTS) / VIDEOS)]!, clip, { quality: '480p' });
    }
    await pipeline.worker.start();
    await until(async () => (await unfinished()) === 0, READY_MS);

    expect(await rows('select status, count(*)::int as n from video group by 1')).toEqual([
      { status: 'ready', n: VIDEOS },
    ]);
    expectFairTurns(await rows('select account_id from video order by ready_at, id'));
    await expectChargedOnce(accounts);
    await expectNothingLeft();
  },
);

/** @throws at once if a video failed, or stays unbought */
async function unfinished(): Promise<number> {
  const [found] = await rows<{ waiting: number; stuck: number }>(
    `select (count(*) filter (where status <> 'ready'))::int as waiting,
      (count(*) filter (where status = 'failed' or failure_code is not null))::int as stuck from video`,
  );
  expect(found!.stuck).toBe(0);
  return found!.waiting;
}

/** No account's last video is ready before every account has had one. */
function expectFairTurns(ready: readonly { account_id: string }[]): void {
  const order = ready.map(({ account_id: accountId }) => accountId);
  const accounts = [...new Set(order)];
  expect(accounts).toHaveLength(ACCOUNTS);
  const allHadOne = Math.max(...accounts.map((accountId) => order.indexOf(accountId)));
  const firstIsThrough = Math.min(...accounts.map((accountId) => order.lastIndexOf(accountId)));
  expect(firstIsThrough).toBeGreaterThan(allHadOne);
}

async function expectChargedOnce(accounts: readonly string[]): Promise<void> {
  const { pipeline } = scene;
  const [charges] = await rows(
    `select count(*)::int as attempts, count(distinct video_id)::int as videos,
      (count(*) filter (where e.status = 'settled' and e.settled_micros = p.price_micros))::int as settled
     from processing p join escrow e using (account_id, video_id, attempt)`,
  );
  expect(charges).toEqual({ attempts: VIDEOS, videos: VIDEOS, settled: VIDEOS });
  const prices = await rows<{ account_id: string; total: string }>(
    'select account_id, sum(price_micros) as total from processing group by 1',
  );
  const priceOf = new Map(prices.map((row) => [row.account_id, BigInt(row.total)]));
  for (const accountId of accounts) {
    const paid = priceOf.get(accountId)!;
    expect(paid).toBeGreaterThan(0n);
    expect(await pipeline.books(accountId)).toEqual({
      creative: CREDITS * 1_000_000n - paid,
      escrow: 0n,
      revenue: paid,
      faults: 0,
    });
  }
}

async function expectNothingLeft(): Promise<void> {
  const { pipeline, dir } = scene;
  // The last folder is removed, and the last job completed, a moment after its video is ready.
  await until(async () => (await readdir(pipeline.workDir)).length === 0);
  const left = `select name, state from pgboss.job
    where name in ('measure-upload', 'process-video', 'encode-chunk') and state <> 'completed' limit 3`;
  await until(async () => (await rows(left)).length === 0);
  expect(await readdir(`${dir}/uploads`)).toEqual([]);
}

function rows<Row extends object>(text: string): Promise<Row[]> {
  return scene.pipeline.db.sql.query<Row>({ name: '', text });
}

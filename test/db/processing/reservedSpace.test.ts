import { expect, test } from 'vitest';

import { Admission, estimateOutputBytes } from '../../../src/domain/media/pipeline/admission.js';
import type { ProcessVideoJob } from '../../../src/ports/jobQueue.js';
import type { Quality } from '../../../src/ports/transcoder.js';
import { paperProbe } from '../../support/worker/paperProbe.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { admissionOf } from './paperVolume.js';

const { pipeline } = await sceneOfFile();

test('runs reserve free space exclusively, however many ask at once', async () => {
  const [one, other] = await Promise.all([paperJob(), paperJob()]);
  const needed = estimateOutputBytes({ quality: '480p', probe: paperProbe(60_000, 720) });
  await alerts('delete from alert');
  const admission = admissionOf(pipeline.db, 2 * needed - 1, false);

  for (let round = 0; round < 50; round += 1) {
    const asked = await Promise.all([one, other, one, other].map((job) => admission.reserveSpace(job)));
    const given = asked.filter((kept) => kept !== null);
    // Another worker on the same video needs no more space.
    expect(given).toHaveLength(2);
    given[0]![Symbol.dispose]();
    expect(await admission.reserveSpace(asked[0] === null ? one : other)).toBeNull();
    given[1]![Symbol.dispose]();
  }
  // A run in progress will free its space soon, so that staff need no alert.
  expect(await alerts('select subject from alert')).toEqual([]);

  using both = await admissionOf(pipeline.db, 2 * needed, false).reserveSpace(one);
  expect(both).not.toBeNull();
});

test('each worker that fetches a source reserves space for a copy, until the copy is on the disk', async () => {
  const job = await paperJob();
  const probe = paperProbe(60_000, 720);
  const needed = estimateOutputBytes({ quality: '480p', probe });
  const admission = admissionOf(pipeline.db, needed + 2 * probe.sizeBytes, true);

  const [one, two] = [await admission.reserveSpace(job), await admission.reserveSpace(job)];
  expect(await admission.reserveSpace(job)).toBeNull();
  one!.fetched();
  using three = await admission.reserveSpace(job);
  expect(three).not.toBeNull();
  expect(await admission.reserveSpace(job)).toBeNull();
  for (const kept of [one, two, one]) kept![Symbol.dispose]();
  using four = await admission.reserveSpace(job);
  expect(four).not.toBeNull();
});

test('a fetched copy is measured on the disk once its reservation is released', async () => {
  const [one, other] = await Promise.all([paperJob(), paperJob()]);
  const probe = paperProbe(60_000, 720);
  const needed = estimateOutputBytes({ quality: '480p', probe });
  let freeBytes = 2 * (needed + probe.sizeBytes) - 1;
  const looks: (() => void)[] = [];
  const admission = new Admission({
    db: pipeline.db,
    marginBytes: 0,
    volumes: [
      {
        name: 'work folder',
        takesSource: true,
        freeBytes: () => new Promise((resolve) => looks.push(() => resolve(freeBytes))),
      },
    ],
  });
  const answered = async <T>(asked: Promise<T>): Promise<T> => {
    const answer = asked.finally(() => clearInterval(looking));
    const looking = setInterval(() => looks.shift()?.(), 1);
    return answer;
  };

  const kept = await answered(admission.reserveSpace(one));
  kept!.fetched();
  freeBytes -= probe.sizeBytes;
  expect(await answered(admission.reserveSpace(other))).toBeNull();
  kept![Symbol.dispose]();
});

test('helpers, which do not retry, reserve no space against others', async () => {
  const [large, small, other] = await Promise.all([paperJob('720p'), paperJob(), paperJob()]);
  const needed = estimateOutputBytes({ quality: '480p', probe: paperProbe(60_000, 720) });
  const admission = admissionOf(pipeline.db, Math.floor(2.5 * needed), false);
  using kept = await admission.reserveSpace(small);
  expect(kept).not.toBeNull();
  for (let time = 0; time < 9; time += 1) expect(await admission.reserveSpace(large, { comesAgain: false })).toBeNull();
  using last = await admission.reserveSpace(other);
  expect(last).not.toBeNull();
});

test('a video that was postponed often enough gets the next free space', async () => {
  const [large, small, other] = await Promise.all([paperJob('720p'), paperJob(), paperJob()]);
  const admission = admissionOf(
    pipeline.db,
    estimateOutputBytes({ quality: '720p', probe: paperProbe(60_000, 720) }),
    false,
  );

  let kept = await admission.reserveSpace(small);
  for (let time = 0; time < 5; time += 1) expect(await admission.reserveSpace(large)).toBeNull();
  expect(await admission.reserveSpace(other)).toBeNull();
  kept![Symbol.dispose]();
  expect(await admission.reserveSpace(other)).toBeNull();
  kept = await admission.reserveSpace(large);
  expect(kept).not.toBeNull();
  kept![Symbol.dispose]();
  using last = await admission.reserveSpace(other);
  expect(last).not.toBeNull();
});

/** A bought video of one minute. */
async function paperJob(quality: Quality = '480p'): Promise<ProcessVideoJob> {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  return { accountId, videoId, attempt: await pipeline.buy(accountId, videoId, quality) };
}

function alerts(text: string): Promise<object[]> {
  return pipeline.db.sql.query({ name: '', text: `${text} where kind = 'storage.full'` });
}

/**
 * `npm run pictures`: retakes the pictures of the README, in `docs/images`, from a service that it starts: a few
 * clips that ffmpeg draws, and a month of made-up views.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findFreePort } from '../support/freePort.js';
import { signIn as signInByForm } from '../browser/signIn.js';
import { readyVideos } from '../support/backups/load.js';
import { launchChromium } from '../support/browser/browser.js';
import { connectToEmbedded } from '../support/browser/ledgerSeed.js';
import { makeDataDir } from '../support/dataDir.js';
import { Client } from '../support/graphql/client.js';
import { ServiceProcess, signIn, type Demo } from '../support/service.js';
import { createVideo, sendFile } from '../support/uploads/clip.js';

const FOLDER = join(import.meta.dirname, '../../docs/images');
const SIZE = { width: 1280, height: 800 };
const CLIP_SECONDS = 24;
const DAYS = 30;

/** Titles, with the pictures that ffmpeg draws for them. */
const CLIPS: readonly (readonly [title: string, source: string, filters: string])[] = [
  [
    'Getting started',
    `gradients=s=1280x720:c0=0x0e7486:c1=0xf6c667:c2=0x2b3a67:n=3:d=${CLIP_SECONDS}:seed=7:speed=0.02`,
    'null',
  ],
  ['Inside the workshop', 'mandelbrot=s=1280x720:start_scale=0.9:end_scale=0.002:end_pts=600', 'hue=h=35:s=0.8'],
  [
    'Lesson 4: cells that divide',
    'life=s=320x180:ratio=0.12:seed=11:mold=8:life_color=#8fd3de:death_color=#14333b',
    'scale=1280:720:flags=neighbor',
  ],
  [
    'Release notes, November',
    `gradients=s=1280x720:c0=0x5f2c82:c1=0x49a09d:n=2:d=${CLIP_SECONDS}:seed=3:speed=0.01`,
    'null',
  ],
  [
    'Interview with the founders',
    `gradients=s=1280x720:c0=0xb24592:c1=0xf15f79:c2=0xffd194:n=3:d=${CLIP_SECONDS}:seed=21:speed=0.015`,
    'null',
  ],
];

const run = promisify(execFile);

const data = await makeDataDir('dhara-pictures-');
const service = ServiceProcess.start(['all'], { DATA_DIR: data.path, PORT: String(await findFreePort()) });
const browser = await launchChromium();
try {
  const demo = await service.demo();
  const client = new Client(demo.url, await signIn(demo));
  for (const clip of CLIPS) await upload(client, clip);
  await service.until(async () => (await readyVideos(demo)).length > CLIPS.length, 'all clips are ready');
  await seedViews(data.path);
  await take(demo);
} finally {
  await browser.close();
  await service.stop();
  await data.remove();
}

async function upload(client: Client, [title, source, filters]: (typeof CLIPS)[number]): Promise<void> {
  const path = join(data.path, 'clip.mp4');
  const input = ['-f', 'lavfi', '-i', source, '-f', 'lavfi', '-i', `sine=frequency=220:duration=${CLIP_SECONDS}`];
  const output = ['-vf', filters, '-r', '25', '-t', String(CLIP_SECONDS), '-pix_fmt', 'yuv420p', '-preset', 'veryfast'];
  await run('ffmpeg', ['-y', '-v', 'error', ...input, ...output, path]);
  const bytes = await readFile(path);
  const options = { filename: 'clip.mp4', title, sizeBytes: bytes.length, quality: 'P720', autoProcess: true };
  const { uploadUrl } = await createVideo(client, options);
  await sendFile(client, uploadUrl, bytes);
}

/** Views of the last month as their sums, more on workdays and for some of the videos. */
async function seedViews(dataDir: string): Promise<void> {
  const owner = await connectToEmbedded(dataDir);
  try {
    await owner.query(
      `with viewed as (
         select v.account_id, v.id, (array[1.0, 0.62, 0.41, 0.3, 0.17, 0.08])[row_number() over (order by v.created_at desc)] as weight
         from video v where v.account_id = (select account_id from video limit 1)
       ), counted as (
         select account_id, id, day, greatest(1, round(weight * (90 + 4 * d + 40 * sin(d * 1.7)) *
           case when extract(isodow from day) > 5 then 0.55 else 1 end))::int as n
         from viewed, generate_series(0, ${DAYS - 1}) d
         cross join lateral (select date_trunc('day', now(), 'UTC') - make_interval(days => ${DAYS - 1} - d) as day) at
       ), summed as (
         select account_id, id, day, n from counted
         union all
         select account_id, '00000000-0000-0000-0000-000000000000', day, sum(n)::int from counted group by account_id, day
       ), valued as (
         select 'all' as dimension, '' as value, 1.0 as share
         union all select 'country', c, s from (values ('IN', 0.44), ('DE', 0.21), ('US', 0.2), ('BR', 0.15)) x (c, s)
         union all select 'browser', c, s from (values ('Chrome', 0.6), ('Safari', 0.27), ('Firefox', 0.13)) x (c, s)
         union all select 'device', c, s from (values ('Phone', 0.55), ('Desktop', 0.41), ('Tablet', 0.04)) x (c, s)
       )
       insert into playback_day (account_id, dimension, video_id, starts_at, value, views, uniques, reported, plays,
         completions, exits, watched_ms, watched_hundredths, stalled_ms, stalls, switches, errors, startups, retention)
       select account_id, dimension, id, day, value, k, ceil(k * 0.8), k, k - k / 40, k * 6 / 10, k / 40, k * 16800::bigint,
         k * 70::bigint, k * 60::bigint, k / 12, k / 3, k / 90,
         array(select case when i between 50 and 90 then greatest(0, round(k * exp(-((i - 62) ^ 2) / 40.0) / 11))::int else 0 end
           from generate_series(1, 200) i),
         case when dimension = 'all' and id <> '00000000-0000-0000-0000-000000000000'
           then array(select round(k * (0.58 + 0.42 * exp(-i / 22.0)))::int from generate_series(1, 100) i) end
       from summed cross join valued cross join lateral (select round(n * share)::int as k) counts
       where k > 0
       on conflict do nothing`,
    );
  } finally {
    await owner.end();
  }
}

async function take(demo: Demo): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const context = await browser.newContext({ viewport: SIZE, baseURL: demo.url, colorScheme: 'light' });
  const page = await context.newPage();
  await signInByForm(page, demo);
  const videoId = (await readyVideos(demo))[0];
  const pages: readonly (readonly [name: string, path: string, heading: string])[] = [
    ['home', '/', 'Newest videos'],
    ['video', `/videos/${videoId}`, 'Details'],
    ['analytics', '/analytics', 'Breakdown'],
    ['ledger', '/wallet/ledger', 'Wallet'],
  ];
  for (const [name, path, heading] of pages) {
    await page.goto(path);
    await page.getByRole('heading', { name: heading }).first().waitFor();
    await page.waitForFunction(
      (unfinished) =>
        document.querySelector(unfinished) === null &&
        // A number that is not known yet.
        !document.body.innerText.split('\n').includes('–') &&
        [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
      '[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root',
    );
    // What was just set is painted after the second frame.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  }
}

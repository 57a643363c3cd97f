/**
 * What viewers do, with one API process: whole views (token, manifest, master playlist, both media playlists, ten
 * segments) by 200 viewers at once; and 2,000 viewers who each fetch picture and sound every four seconds, as players
 * do. Exits with 1 if one of the 2,000 waits longer than a segment lasts, or if the event loop delays a trivial request
 * by 50 ms or more (p99). An idle process is asked at the same times: how long it takes is the machine's part.
 *
 * BENCH_VIEWERS=2000  BENCH_VIEW_SECONDS=40
 */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';
import { pino } from 'pino';

import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { findFreePort } from '../support/freePort.js';
import { migrate } from '../../src/db/migrate.js';
import { videoIdOf } from '../../src/domain/shared/ids.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';
import { Connection } from './connection.js';
import { processorSeconds } from './processorTime.js';
import { LoadDriver, residentMb, type Server, startBareFiles, startService } from './processes.js';
import { type SeededAccount, seedAccount } from './seed.js';

const VIEWERS = Number(process.env['BENCH_VIEWERS'] ?? 2_000);
const VIEW_SECONDS = Number(process.env['BENCH_VIEW_SECONDS'] ?? 40);
const AT_ONCE = 200;
const VIEWS = 2_000;
const SEGMENTS_PER_VIEW = 10;
const SEGMENT_SECONDS = 4;
const SEGMENTS = 60;
/** 480p at 400 kb/s, and sound at 128. */
const BYTES = { '480p': 200_000, audio: 64_000 };
const VIDEOS = 50;
const MAX_LAG_MS = 50;
const PROBES_PER_SECOND = 50;

/** A connection for segments, whose bytes are not kept: a thousand viewers would cost this process a core. */
class Segments {
  private answered: PromiseWithResolvers<void> = Promise.withResolvers();
  private readonly connection: Connection;

  private constructor(port: number) {
    this.connection = new Connection(
      port,
      () => this.answered.resolve(),
      (status) => {
        if (status !== '200') this.answered.reject(new Error(`A segment was answered with ${status}.`));
      },
      (error) => this.answered.reject(error ?? new Error('The service closed the connection.')),
    );
  }

  static async open(port: number): Promise<Segments> {
    const segments = new Segments(port);
    await segments.answered.promise;
    return segments;
  }

  async fetch(path: string): Promise<void> {
    this.answered = Promise.withResolvers();
    this.connection.send(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`), performance.now());
    await this.answered.promise;
  }

  close(): void {
    this.connection.end();
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const dataDir = (await makeDataDir('dhara-bench-')).path;
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }) });
const driver = new LoadDriver();
const idleDriver = new LoadDriver();
const idle = await startBareFiles([]);
let service: Server | undefined;
let missed = false;
try {
  await migrate(postgres);
  const client = new pg.Client({ connectionString: postgres.migrationUrl });
  await client.connect();
  const account = await seedVideos(client);
  await client.end();
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  service = await startService({
    ...postgres,
    poolSize: 10,
    publicUrl,
    masterKey: randomBytes(32),
    dataDir,
    port,
    settings: { MAX_CONNECTIONS_PER_ADDRESS: '100000' },
  });
  await wholeViews(service, publicUrl, account);
  await steadyViewers(service, publicUrl, account);
} finally {
  driver.stop();
  idleDriver.stop();
  await idle.stop();
  agent.destroy();
  await service?.stop();
  await postgres.stop();
  await removeDataDir(dataDir);
}
if (missed) process.exitCode = 1;

/** All of one view, one request after the other. @returns the address below which its renditions are */
async function open(url: string, { key, videoIds }: SeededAccount, nth: number): Promise<string> {
  const videoId = videoIdOf(videoIds[nth % videoIds.length] ?? '');
  const minted = await ask(`${url}/v1/video/${videoId}/playback-token`, { 'x-service-key': key }, 'POST');
  const { manifestUrl } = (JSON.parse(minted.toString()) as { data: { manifestUrl: string } }).data;
  const manifest = JSON.parse((await ask(manifestUrl)).toString()) as { data: { url: string } };
  const master = (await ask(manifest.data.url)).toString();
  const base = manifest.data.url.replace('/master.m3u8', '');
  if (!master.includes('480p/index.m3u8')) throw new Error('The master playlist lists no 480p.');
  for (const rendition of Object.keys(BYTES)) await ask(`${base}/1-1/${rendition}/index.m3u8`);
  return base;
}

async function wholeViews({ pid, port }: Server, url: string, account: SeededAccount): Promise<void> {
  let begun = 0;
  const times: number[] = [];
  const before = processorSeconds(pid);
  const startedMs = performance.now();
  const viewer = async (): Promise<void> => {
    const segments = await Segments.open(port);
    while (begun < VIEWS) {
      const nth = begun++;
      const viewStartedMs = performance.now();
      const base = await open(url, account, nth);
      for (let n = 0; n < SEGMENTS_PER_VIEW; n += 1) await segments.fetch(segmentOf(base, '480p', n));
      times.push(performance.now() - viewStartedMs);
    }
    segments.close();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, viewer));
  const seconds = (performance.now() - startedMs) / 1000;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => ((sorted[Math.floor(sorted.length * share)] ?? 0) / 1000).toFixed(2);
  const processorMs = ((processorSeconds(pid) - before) / VIEWS) * 1000;
  console.log(
    `      whole views by ${AT_ONCE} viewers at once: ${(VIEWS / seconds).toFixed(0)} a second (median ${at(0.5)} s, ` +
      `p99 ${at(0.99)} s, processor ${processorMs.toFixed(2)} ms each, of which the service had one)`,
  );
}

async function steadyViewers({ pid, port }: Server, url: string, account: SeededAccount): Promise<void> {
  const before = processorSeconds(pid);
  const durationMs = (VIEW_SECONDS + SEGMENT_SECONDS) * 1000;
  const requests = ['GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n'];
  const probe = { connections: 1, durationMs, perSecond: PROBES_PER_SECOND, requests };
  const probes = Promise.all([driver.drive({ ...probe, port }), idleDriver.drive({ ...probe, port: idle.port })]);
  const waits: number[] = [];
  const viewer = async (nth: number): Promise<void> => {
    // They do not all press play at once.
    await delay((nth / VIEWERS) * SEGMENT_SECONDS * 1000);
    const base = await open(url, account, nth);
    const [picture, sound] = [await Segments.open(port), await Segments.open(port)];
    const startedMs = performance.now();
    for (let n = 0; n * SEGMENT_SECONDS < VIEW_SECONDS; n += 1) {
      const askedMs = performance.now();
      await Promise.all([picture.fetch(segmentOf(base, '480p', n)), sound.fetch(segmentOf(base, 'audio', n))]);
      waits.push((performance.now() - askedMs) / 1000);
      await delay(Math.max(0, startedMs + (n + 1) * SEGMENT_SECONDS * 1000 - performance.now()));
    }
    picture.close();
    sound.close();
  };
  await Promise.all(Array.from({ length: VIEWERS }, (_, nth) => viewer(nth)));
  const [{ p99Ms: answeredMs }, { p99Ms: idleMs }] = await probes;
  const lagMs = answeredMs - idleMs;
  const longest = waits.reduce((most, one) => Math.max(most, one), 0);
  const isMet = longest < SEGMENT_SECONDS && lagMs < MAX_LAG_MS;
  missed ||= !isMet;
  const share = ((processorSeconds(pid) - before) / (VIEW_SECONDS + SEGMENT_SECONDS)) * 100;
  console.log(
    `${isMet ? 'ok    ' : 'MISSED'} ${VIEWERS} viewers for ${VIEW_SECONDS} s: the longest wait for a segment was ` +
      `${longest.toFixed(2)} s (target below ${SEGMENT_SECONDS}), the event loop kept others ${lagMs.toFixed(1)} ms ` +
      `(target below ${MAX_LAG_MS}; p99 ${answeredMs.toFixed(1)} ms, of an idle process ${idleMs.toFixed(1)}); ${share.toFixed(0)} % of a processor, ` +
      `${residentMb(pid).highest} MB of memory at most`,
  );
}

/** @param base the URL below which the renditions are. @returns the segment's path */
function segmentOf(base: string, rendition: string, n: number): string {
  return `${new URL(base).pathname}/1-1/${rendition}/seg_${String(n % SEGMENTS).padStart(5, '0')}.m4s`;
}

function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const req = request(url, { agent, headers, method }, (res) => {
      const pieces: Buffer[] = [];
      res.on('data', (piece: Buffer) => pieces.push(piece));
      res.on('error', reject);
      res.on('end', () => {
        if (res.statusCode === 200) resolve(Buffer.concat(pieces));
        else reject(new Error(`${method} ${url} answered ${res.statusCode}: ${Buffer.concat(pieces).toString()}`));
      });
    });
    req.on('error', reject);
    req.end();
  });
}

/** Videos with 480p and sound, whose playlists and segments are in the store. */
async function seedVideos(client: pg.Client): Promise<SeededAccount> {
  const account = await seedAccount(client, VIDEOS);
  const { accountId, videoIds } = account;
  await client.query(`update video set playable_rungs = '{480p,audio}' where account_id = $1`, [accountId]);
  const names = Array.from({ length: SEGMENTS }, (_, n) => `seg_${String(n).padStart(5, '0')}.m4s`);
  const playlist = `#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-MAP:URI="init.mp4"\n${names.map((name) => `#EXTINF:4.0,\n${name}`).join('\n')}\n#EXT-X-ENDLIST\n`;
  for (const videoId of videoIds) {
    const prefix = `videos/${accountId}/${videoId}/1-1/`;
    await client.query(
      `insert into rendition (account_id, video_id, quality, width, height, bitrate, average_bitrate, codecs, frame_rate,
         size_bytes, path, prefix)
       values ($1, $2, '480p', 854, 480, 1200000, 900000, 'avc1.64001f', 25, 1000, '480p/index.m3u8', $3),
         ($1, $2, 'audio', null, null, 130000, 128000, 'mp4a.40.2', null, 100, 'audio/index.m3u8', $3)`,
      [accountId, videoId, prefix],
    );
    for (const [rendition, bytes] of Object.entries(BYTES)) {
      const folder = join(dataDir, 'store/objects', prefix, rendition);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'index.m3u8'), playlist);
      const segment = randomBytes(bytes);
      for (const name of names) await writeFile(join(folder, name), segment);
    }
  }
  return account;
}

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { EncodedLadder, EncodeRequest, Transcoder } from '../../src/ports/transcoder.js';
import { encodeChunk } from '../../src/worker/encodeChunk.js';
import { processVideo } from '../../src/worker/processVideo.js';
import { WorkFolders } from '../../src/worker/workFolder.js';
import { makeClip, mediaFolder } from '../setup/media.js';
import { openScene, until, type PipelineScene } from './pipeline.js';

const SETTINGS = { chunksFromSeconds: 5, chunkSeconds: 4, earlyPlayFromSeconds: 1 };
const CHUNKS = 4;

let scene: PipelineScene;
let media: Awaited<ReturnType<typeof mediaFolder>>;

beforeAll(async () => {
  scene = await openScene();
  media = await mediaFolder();
});

afterAll(async () => {
  await scene.close();
  await media[Symbol.asyncDispose]();
});

test('while the own worker makes the sound, helpers go on with the next stage; pictures come as soon as it plays', async () => {
  const { pipeline } = scene;
  const clip = await makeClip(media.path, { name: 'film.mp4', durationSeconds: 16, width: 1280, height: 96 });
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, clip);
  const data = { accountId, videoId, attempt: await pipeline.buy(accountId, videoId, '720p') };
  const video = () => pipeline.videos.get(accountId, videoId);
  const doneOf = async (quality: string): Promise<number> => {
    const [row] = await pipeline.db.sql.query<{ done: number }>(
      {
        name: 'test-done',
        text: `select count(*)::integer as done from processing_chunk
          where video_id = $1 and state = 'done' and rungs->0->>'quality' = $2`,
      },
      [videoId, quality],
    );
    return row!.done;
  };

  const sound = Promise.withResolvers<void>();
  const pictures = Promise.withResolvers<void>();
  const transcoder = encodingBy(pipeline.transcoder, async (request, encode) => {
    await (request.pictures ? pictures : sound).promise;
    return encode(request);
  });
  const signal = new AbortController().signal;
  const folders = new WorkFolders(pipeline.workDir);
  const deps = {
    ...pipeline.services(),
    ...SETTINGS,
    store: pipeline.store,
    folders,
    logger: pino({ level: 'silent' }),
  };
  const own = processVideo({ ...deps, transcoder }, { data, signal });
  await until(async () => (await pipeline.db.sql.query(PLANNED, [videoId])).length > 0);

  // A stretch of the first stage, and one of the next.
  for (const quality of ['480p', '720p']) {
    const run = 1;
    await encodeChunk({ ...deps, transcoder: pipeline.transcoder }, { data: { ...data, run }, signal }, () => false);
    expect(await doneOf(quality)).toBe(CHUNKS);
  }
  expect(await video()).toMatchObject({ playableRungs: [], posterPath: null });

  sound.resolve();
  await until(async () => (await video()).playableRungs.length > 0);
  expect(await video()).toMatchObject({ status: 'processing', playableRungs: ['480p', 'audio'], posterPath: null });

  pictures.resolve();
  await own;
  expect(await video()).toMatchObject({ status: 'ready', playableRungs: ['720p', '480p', 'audio'] });
  expect((await video()).posterPath).not.toBeNull();
}, 60_000);

const PLANNED = { name: 'test-planned', text: 'select from processing_chunk where video_id = $1' };

function encodingBy(
  transcoder: Transcoder,
  encode: (request: EncodeRequest, really: Transcoder['encode']) => Promise<EncodedLadder>,
): Transcoder {
  const instead: Transcoder['encode'] = (request) => encode(request, (real) => transcoder.encode(real));
  return Object.assign(Object.create(transcoder) as Transcoder, { encode: instead });
}

import { pino } from 'pino';
import { expect, test } from 'vitest';

import { FencedError } from '../../../src/domain/media/pipeline/attempt.service.js';
import { processVideo } from '../../../src/worker/processVideo.js';
import { WorkFolders } from '../../../src/worker/workFolder.js';
import { createTestDatabase } from '../../support/database.js';
import { makeClip } from '../../support/media.js';
import { Pipeline, pipelineFolder, until } from '../../support/worker/pipeline.js';

test('a fenced run does not report its job as done, because the run that replaced it may be lost too', async () => {
  const database = await createTestDatabase();
  await using folder = await pipelineFolder();
  const pipeline = await Pipeline.start({ databaseUrl: database.runtimeUrl, dir: folder.path, works: false });
  try {
    const accountId = await pipeline.account(10n);
    const clip = await makeClip(folder.path, { name: 'video.mp4', durationSeconds: 40, width: 1280, height: 720 });
    const videoId = await pipeline.measured(accountId, clip);
    const data = { accountId, videoId, attempt: await pipeline.buy(accountId, videoId, '720p') };
    const deps = {
      ...pipeline.services(),
      store: pipeline.store,
      transcoder: pipeline.transcoder,
      folders: new WorkFolders(pipeline.workDir),
      logger: pino({ level: 'silent' }),
    };
    const run = processVideo(deps, { data, signal: new AbortController().signal });
    const refused = expect(run).rejects.toThrow(FencedError);
    await until(async () => (await pipeline.processingOf(accountId, videoId)).state === 'running');

    await pipeline.attempts.claim(data);

    await refused;
    expect(await pipeline.processingOf(accountId, videoId)).toMatchObject({ state: 'running', run: 2 });
    expect(await pipeline.keys(`videos/${accountId}/`)).toEqual([]);
  } finally {
    await pipeline.stop();
    await database.drop();
  }
});

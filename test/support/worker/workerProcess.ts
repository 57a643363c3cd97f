import { pino } from 'pino';

import { Pipeline } from './pipeline.js';

/** A worker in its own process, to be killed, frozen and stopped. */
const { DATABASE_URL: databaseUrl, DIR: dir, PRESET: preset, EARLY_PLAY_FROM_SECONDS: early } = process.env;
const { CHUNKS: chunks, MASTER_KEY: masterKey } = process.env;
if (!databaseUrl || !dir) throw new Error('DATABASE_URL and DIR are needed');
const pipeline = await Pipeline.start({
  databaseUrl,
  dir,
  works: true,
  logger: pino({ level: 'info', base: null }),
  ...(preset && { preset }),
  ...(chunks && { chunks: JSON.parse(chunks) as { chunksFromSeconds: number; chunkSeconds: number } }),
  ...(masterKey && { masterKeys: { current: Buffer.from(masterKey, 'base64'), previous: [] } }),
  ...(early && { earlyPlayFromSeconds: Number(early) }),
});
process.once('SIGTERM', () => {
  void pipeline.stop().then(() => process.exit(0));
});

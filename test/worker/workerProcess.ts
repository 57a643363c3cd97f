import { pino } from 'pino';

import { Pipeline } from './pipeline.js';

/** A worker in a process of its own, to be killed, frozen and stopped. */
const { DATABASE_URL: databaseUrl, DIR: dir, PRESET: preset } = process.env;
if (!databaseUrl || !dir) throw new Error('DATABASE_URL and DIR are needed');
const pipeline = await Pipeline.start({
  databaseUrl,
  dir,
  works: true,
  logger: pino({ level: 'info', base: null }),
  ...(preset && { preset }),
});
process.once('SIGTERM', () => {
  void pipeline.stop().then(() => process.exit(0));
});

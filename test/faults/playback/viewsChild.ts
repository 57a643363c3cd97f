import { env } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import { PostgresDatabase } from '../../../src/db/database.js';
import { ViewRecorder } from '../../../src/domain/playback/analytics/viewRecorder.js';
import { exchange, measured } from '../../support/analytics/watching.js';

/** A recorder in its own process, to be stopped or killed. Says which views it has taken, and which are written. */
const { DATABASE_URL: url = '', ACCOUNT_ID: accountId = '', VIDEO_ID: videoId = '' } = env;
const db = await PostgresDatabase.connect({ url, maxConnections: 2 });
const say = (what: string, ids: readonly string[]) => process.stdout.write(`${what} ${ids.join(' ')}\n`);
const views = new ViewRecorder({
  db,
  visitorKey: Buffer.alloc(32, 1),
  flushEveryMs: 50,
  onWritten: (written) =>
    say(
      'written',
      written.map(({ viewId }) => viewId),
    ),
});
views.start();
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
while (!stopping.signal.aborted) {
  const view = exchange({ accountId, videoId });
  views.exchanged(view);
  views.reported(accountId, view.viewId, measured({ watchedMs: 1_000, ranges: [0, 1_000] }));
  say('taken', [view.viewId]);
  await delay(1);
}
await views.stop();
await db.close();

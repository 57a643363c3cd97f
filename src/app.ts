import type { AppOptions, End } from './app/options.js';
import { createServices, type Services } from './app/services.js';
import { startApi } from './app/startApi.js';
import { startMetrics } from './app/startMetrics.js';
import { openTranscoder, startWorker } from './app/startWorker.js';
import { HttpMetrics } from './api/http/metrics.js';
import { watchClock } from './app/watchClock.js';

export type { AppOptions, Role } from './app/options.js';

/** The service, constructed. `start` brings up what the role serves; `stop` ends it. */
export interface App extends Services {
  readonly publicUrl: string;
  start(): Promise<void>;
  /** Drains requests, hands jobs back and closes every connection; under ten seconds. */
  stop(): Promise<void>;
}

/** The composition root: every service and adapter is made here and in `app/`, and nowhere else. */
export async function createApp(options: AppOptions): Promise<App> {
  const { role, publicUrl } = options;
  const services = await createServices(options);
  const metrics = new HttpMetrics();
  const faces: End[] = [];
  const foundations: End[] = [
    () => services.db.close(),
    () => services.identity.close(),
    async () => services.stores.close(),
    async () => services.playback.close(),
  ];
  return {
    ...services,
    publicUrl,
    async start() {
      if (role === 'admin') return;
      // First, since its port may be taken: nothing is served then, and no job is begun.
      faces.push(await startMetrics(options, metrics));
      const transcoder = role === 'api' ? null : openTranscoder(options);
      await services.queue.start();
      foundations.push(() => services.queue.stop());
      foundations.push(await watchClock(options, services));
      if (transcoder) faces.push(await startWorker(options, services, transcoder));
      if (role !== 'worker') faces.push(await startApi(options, services, metrics));
    },
    async stop() {
      // Requests drain while jobs are handed back: one after the other would take longer than a stop may.
      await Promise.all(faces.splice(0).map((end) => end()));
      for (const end of foundations.splice(0).toReversed()) await end();
    },
  };
}

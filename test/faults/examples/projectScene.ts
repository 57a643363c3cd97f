import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Browser } from 'playwright-core';

import { PostgresDatabase } from '../../../src/db/database.js';
import { findFreePort } from '../../support/freePort.js';
import { parseVideoId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { launchChromium } from '../../support/browser/browser.js';
import { embeddedUrl } from '../../support/browser/ledgerSeed.js';
import { addVideo, type VideoSeed } from '../../support/contract/service.js';
import { makeDemoDataDir } from '../../support/demoDataDir.js';
import { ServiceProcess, type Demo } from '../../support/service.js';
import { CuttableProxy } from '../../support/uploads/cuttableProxy.js';

const run = promisify(execFile);

/** A running service with the demo video, which can be cut off, and a browser. */
export class ProjectScene {
  private constructor(
    private readonly folder: Awaited<ReturnType<typeof makeDemoDataDir>>,
    private readonly service: ServiceProcess,
    private readonly db: PostgresDatabase,
    private readonly accountId: string,
    readonly demo: Demo,
    readonly way: CuttableProxy,
    readonly browser: Browser,
  ) {}

  static async start(): Promise<ProjectScene> {
    await run(process.execPath, ['src/setup/build.mjs', 'player', 'client']);
    const folder = await makeDemoDataDir();
    const settings = { DATA_DIR: folder.path, PORT: String(await findFreePort()), LOG_LEVEL: 'warn' };
    const service = ServiceProcess.start(['all'], settings);
    const [demo, browser] = await Promise.all([service.demo(), launchChromium()]);
    const db = await PostgresDatabase.connect({
      url: await embeddedUrl(folder.path),
      maxConnections: 2,
      log: () => undefined,
    });
    const [video] = await db.sql.query<{ account_id: string }>(
      { name: 'test-demo-account', text: 'select account_id from video where id = $1' },
      [parseVideoId(demo.videoId)],
    );
    const way = await CuttableProxy.to(demo.url);
    return new ProjectScene(folder, service, db, video!.account_id, demo, way, browser);
  }

  /** The service's address by way of the proxy. */
  get url(): string {
    return this.way.url.replace(/\/$/, '');
  }

  /** A video of the demo account without files. Returns its id. */
  async addVideo(seed: VideoSeed): Promise<string> {
    return videoIdOf(await addVideo(this.db, this.accountId, seed));
  }

  /** How many tokens the demo key has used today. */
  async used(): Promise<number> {
    const [key] = await this.keyRows<{ used: number }>('select used from api_key where account_id = $1');
    return key!.used;
  }

  /** Takes the key's quota away while `work` runs. */
  async withoutQuota<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.keyRows('update api_key set daily_limit = 0 where account_id = $1');
    try {
      return await work();
    } finally {
      await this.keyRows('update api_key set daily_limit = 1000 where account_id = $1');
    }
  }

  /** Makes the service unreachable while `work` runs. */
  async cutOff<Result>(work: () => Promise<Result>): Promise<Result> {
    this.way.cut();
    try {
      return await work();
    } finally {
      this.way.mend();
    }
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.way.close();
    await this.db.close();
    await this.service.stop('SIGKILL');
    await this.folder.remove();
  }

  private keyRows<Row extends object>(text: string): Promise<Row[]> {
    return this.db.sql.query<Row>({ name: `test-${text.slice(0, 6)}-${text.length}`, text }, [this.accountId]);
  }
}

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findFreePort } from '../support/freePort.js';
import { makeDemoDataDir } from '../support/demoDataDir.js';
import { ServiceProcess, type Demo } from '../support/service.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

export interface DashboardService {
  readonly service: ServiceProcess;
  readonly demo: Demo;
  /** The link in the newest email to an address, once there is one. */
  linkEmailedTo(address: string): Promise<string>;
  /** Ends the service like a power failure. */
  kill(): Promise<void>;
  /** Starts it again after a kill, with the same data and address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The whole service with its built dashboard and the demo account, in its own data directory. */
export async function startDashboardService(): Promise<DashboardService> {
  await run(process.execPath, ['src/setup/build.mjs', 'dashboard', 'player'], { cwd: ROOT });
  return startBuiltService();
}

/** The same, if the dashboard is built. */
export async function startBuiltService(): Promise<DashboardService> {
  const folder = await makeDemoDataDir();
  const settings = {
    DATA_DIR: folder.path,
    PORT: String(await findFreePort()),
    // A receiver of the test is on this machine.
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  let service = ServiceProcess.start(['all'], settings);
  return {
    get service() {
      return service;
    },
    demo: await service.demo(),
    async linkEmailedTo(address) {
      let text = '';
      await service.until(async () => {
        text =
          (await readEmails(join(folder.path, 'mail'))).findLast((email) => email.includes(`To: ${address}\n`)) ?? '';
        return text !== '';
      }, `there is an email to ${address}`);
      const link = /^https?:\/\/\S+$/m.exec(text)?.[0];
      if (link === undefined) throw new Error(`the email to ${address} has no link: ${text}`);
      return link;
    },
    async kill() {
      await service.stop('SIGKILL');
    },
    async restart() {
      service = ServiceProcess.start(['all'], settings);
      await service.ready();
    },
    async stop() {
      await service.stop('SIGKILL');
      await folder.remove();
    },
  };
}

/** Oldest first: the names begin with the time. */
async function readEmails(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.txt')).sort();
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

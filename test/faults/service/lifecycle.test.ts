import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEAP_FLAGS } from '../../../src/cli/ownProcess.js';
import { findFreePort } from '../../support/freePort.js';
import { makeDemoDataDir } from '../../support/demoDataDir.js';
import { usually } from '../../support/effort.js';
import { CHROME } from '../../support/analytics/watching.js';
import { Client } from '../../support/graphql/client.js';
import { ServiceProcess, signIn, type Demo } from '../../support/service.js';

const BROWSERS = 4;

// The very first start creates the folder that all other tests need.
describe('after the first start', () => {
  let folder: Awaited<ReturnType<typeof makeDemoDataDir>>;
  let settings: { DATA_DIR: string; PORT: string };
  let service: ServiceProcess;
  let demo: Demo;
  /** Its session outlives restarts. */
  let owner: Client | undefined;

  beforeAll(async () => {
    folder = await makeDemoDataDir();
    settings = { DATA_DIR: folder.path, PORT: String(await findFreePort()) };
    service = ServiceProcess.start(['all'], settings);
    demo = await service.demo();
  });

  afterAll(async () => {
    await service?.stop('SIGKILL');
    await folder?.remove();
  });

  const list = async () => {
    const response = await fetch(`${demo.url}/v1/video`, { headers: { 'x-service-key': demo.apiKey } });
    return (await response.json()) as { data: { id: string; status: string }[] };
  };

  it('prints an address, a login, a key and a working curl line', async () => {
    await service.until(() => service.output.includes('Dhara is ready'), 'it says so');
    expect(service.output).toContain(demo.password);
    const curl = /curl -H '([^:]+): ([^']+)' (\S+)/.exec(service.output)!;
    const response = await fetch(curl[3]!, { headers: { [curl[1]!]: curl[2]! } });
    expect(await response.json()).toMatchObject({ success: true, data: [{ id: demo.videoId, status: 'ready' }] });

    const signedIn = await fetch(`${demo.url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: demo.url },
      body: JSON.stringify({ email: demo.email, password: demo.password }),
    });
    expect(signedIn.status).toBe(200);
  });

  it('refuses a second service on the same folder, in one line', async () => {
    const second = ServiceProcess.start(['all'], { ...settings, PORT: String(await findFreePort()) });
    expect(await second.exit()).toBe(1);
    expect(second.output.trim().split('\n')).toHaveLength(1);
    expect(second.output).toContain('already running');
    expect((await list()).data).toHaveLength(1);
  });

  it('has given itself a heap with small steps and few arenas, in the same process', async () => {
    const own = async (name: string): Promise<string[]> =>
      (await readFile(`/proc/${service.pid}/${name}`, 'utf8')).split('\0');
    expect(await own('cmdline')).toEqual(expect.arrayContaining([...HEAP_FLAGS, 'all']));
    expect(await own('environ')).toEqual(expect.arrayContaining(['MALLOC_ARENA_MAX=2', `PORT=${settings.PORT}`]));
  });

  it('runs commands beside the service', async () => {
    const verify = ServiceProcess.start(['ledger', 'verify'], settings);
    expect(await verify.exit()).toBe(0);
    expect(verify.output).toContain('The ledger is correct: 5 transactions');

    const promote = ServiceProcess.start(['user', 'promote', demo.email, '--role', 'support'], settings);
    expect(await promote.exit()).toBe(0);

    const rotate = ServiceProcess.start(['keys', 'rotate'], settings);
    expect(await rotate.exit()).toBe(0);
    const jwks = (await (await fetch(`${demo.url}/.well-known/jwks.json`)).json()) as { keys: unknown[] };
    expect(jwks.keys.length).toBeGreaterThanOrEqual(1);

    const unknown = ServiceProcess.start(['user', 'promote', 'nobody@example.com', '--role', 'support'], settings);
    expect(await unknown.exit()).toBe(1);
    expect(unknown.output.trim().split('\n')).toHaveLength(1);
  });

  it('starts cleanly after kill -9, with nothing lost and no second demo', async () => {
    const demoFile = join(folder.path, 'demo.json');
    const before = { list: await list(), demo: await readFile(demoFile, 'utf8') };
    await service.stop('SIGKILL');
    service = ServiceProcess.start(['all'], settings);
    await service.ready();

    expect({ list: await list(), demo: await readFile(demoFile, 'utf8') }).toEqual(before);
  });

  it('logs no key, token or grant', async () => {
    const minted = await fetch(`${demo.url}/v1/video/${demo.videoId}/playback-token`, {
      method: 'POST',
      headers: { 'x-service-key': demo.apiKey },
    });
    const { data } = (await minted.json()) as { data: { token: string; manifestUrl: string } };
    const manifest = (await (await fetch(data.manifestUrl)).json()) as { data: { url: string } };
    await fetch(manifest.data.url);
    await fetch(manifest.data.url.replace('/media/', '//media/'));
    const grant = /\/media\/([^/]+)/.exec(manifest.data.url)![1]!;
    await service.until(() => service.output.includes('/media/[grant]/'), 'the request is logged');

    // The lines for new users are not log lines.
    const log = service.output.split('\n').filter((line) => line.startsWith('{'));
    for (const secret of [data.token, grant, demo.apiKey.slice(12)]) {
      expect(log.filter((line) => line.includes(secret))).toEqual([]);
    }
  });

  /**
   * Mints a token and exchanges it, as a person's browser does. Returns whether the service has answered. It leaves the
   * response unread: a connection that is used again is served while the service stops, until the day's quota is used up.
   */
  const watch = async (): Promise<boolean> => {
    const minted = await fetch(`${demo.url}/v1/video/${demo.videoId}/playback-token`, {
      method: 'POST',
      headers: { 'x-service-key': demo.apiKey },
    });
    const { data } = (await minted.json()) as { data: { token: string } };
    const exchanged = await fetch(`${demo.url}/v1/video/playback/manifest/${data.token}`, {
      headers: { 'user-agent': CHROME },
    });
    return exchanged.ok;
  };

  /** Watches with several browsers at once until the service is gone. Returns how often it has answered. */
  function watchUntilGone(): { answered: () => number; gone: Promise<unknown> } {
    let answered = 0;
    const browser = async (): Promise<void> => {
      while (await watch().catch(() => false)) answered += 1;
    };
    return { answered: () => answered, gone: Promise.all(Array.from({ length: BROWSERS }, browser)) };
  }

  const countedViews = async (): Promise<number> => {
    owner ??= new Client(demo.url, await signIn(demo));
    const { recentViews } = await owner.data('{ recentViews { last30Days } }');
    return recentViews.last30Days as number;
  };

  it('counts every view whose token it has exchanged when it is stopped by SIGTERM, and exits with code 0', async () => {
    const before = await countedViews();
    const watching = watchUntilGone();
    await service.until(() => watching.answered() >= 30, 'tokens are exchanged');
    expect(await service.stop()).toBe(0);
    await watching.gone;
    service = ServiceProcess.start(['all'], settings);
    await service.ready();

    const counted = (await countedViews()) - before;
    expect(counted).toBeGreaterThanOrEqual(watching.answered());
    // Each browser may have lost its last response.
    expect(counted).toBeLessThanOrEqual(watching.answered() + BROWSERS);
  });

  it('loses at most the views of the last batch when it is killed', async () => {
    const before = await countedViews();
    const safe = 10;
    await Promise.all(Array.from({ length: safe }, watch));
    await service.until(async () => (await countedViews()) - before === safe, 'a batch is written');
    const watching = watchUntilGone();
    await service.until(() => watching.answered() >= 10, 'more tokens are exchanged');
    await service.stop('SIGKILL');
    await watching.gone;
    service = ServiceProcess.start(['all'], settings);
    await service.ready();

    const counted = (await countedViews()) - before;
    expect(counted).toBeGreaterThanOrEqual(safe);
    expect(counted).toBeLessThanOrEqual(safe + watching.answered() + BROWSERS);
  });

  it('stops on SIGTERM with exit code 0', async () => {
    expect(await service.stop()).toBe(0);
  });
});

describe('settings', () => {
  const settings = { DATA_DIR: '/nonexistent/dhara', PORT: '4000' };
  const wrongOnes: [object, string][] = [
    [{ PORT: '70000' }, 'PORT'],
    [{ MASTER_KEY: 'short' }, 'MASTER_KEY'],
    [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL'],
    [{ NODE_ENV: 'production' }, 'PUBLIC_URL'],
  ];

  // In separate processes in the full run; test/unit/http/config.test.ts covers each of them.
  it.each(usually(wrongOnes, ([, name]) => name, ['PORT']))(
    '%j stops the start with one line that names it',
    async (wrong, name) => {
      const service = ServiceProcess.start(['all'], { ...settings, ...(wrong as Record<string, string>) });
      expect(await service.exit()).toBe(1);
      expect(service.output.trim().split('\n')).toHaveLength(1);
      expect(service.output).toContain(name);
    },
  );

  it('are all described by --help, as are the commands', async () => {
    const help = ServiceProcess.start(['--help'], settings);
    expect(await help.exit()).toBe(0);
    for (const word of ['dhara', 'worker', 'migrate', 'DATABASE_URL', 'MAX_UPLOAD_BYTES', '[4000]']) {
      expect(help.output).toContain(word);
    }
  });

  it('an unknown command is reported in one line', async () => {
    const service = ServiceProcess.start(['dance'], settings);
    expect(await service.exit()).toBe(2);
    expect(service.output).toContain('Unknown command "dance"');
  });
});

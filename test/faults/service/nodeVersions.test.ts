import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { lowestNodeVersion, nodeVersionFault } from '../../../src/cli/ownProcess.js';
import { findFreePort } from '../../support/freePort.js';
import { PayPage } from '../../support/sandbox/payPage.js';
import { makeDemoDataDir } from '../../support/demoDataDir.js';
import { IS_FULL } from '../../support/effort.js';
import { packagedNode } from '../../support/runtimes.js';
import { ServiceProcess, signIn } from '../../support/service.js';

/** The newest version that was tested. */
const HIGHEST = '26.10.0';
/** A version that is too old: the newest of Node.js 20. */
const TOO_OLD = '20.20.2';

describe('a version of Node.js', () => {
  it.each(['0.12.18', '4.9.1', '18.20.8', '20.20.2', '21.7.3', '22.0.0', '22.9.0', '22.16.0'])(
    '%s is too old',
    (found) => {
      const fault = nodeVersionFault(found, '22.17.0');
      expect(fault).toBe(`Node.js 22.17.0 or newer is needed, and this is ${found}. \`npm start\` brings its own.`);
    },
  );

  it.each(['22.17.0', '22.17.1', '22.22.0', '23.0.0', '24.0.0', '26.10.0', '100.0.0'])('%s is new enough', (found) => {
    expect(nodeVersionFault(found, '22.17.0')).toBeNull();
  });

  it('is required by package.json', () => {
    expect(lowestNodeVersion()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(nodeVersionFault(process.versions.node)).toBeNull();
  });
});

it('the program refuses an old Node.js in one line, before it loads anything else', async () => {
  const hook = `
    Object.defineProperty(process.versions, 'node', { value: '${TOO_OLD}' });
    process.on('exit', () => {
      const { Module } = process.getBuiltinModule('node:module');
      console.log(Object.keys(Module._pathCache).filter((path) => path.includes('node_modules')).length);
    });`;
  const preload = `data:text/javascript,${encodeURIComponent(hook)}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', preload, 'dist/main.js', 'all'], {
    encoding: 'utf8',
  });
  expect(stderr).toBe(`dhara: ${nodeVersionFault(TOO_OLD)}\n`);
  expect(stdout).toBe('0\n');
  expect(status).toBe(1);
});

const hostNode = findOldNode();
it.runIf(IS_FULL || hostNode !== null)(
  'a real old Node.js reports its version, and no syntax or module error',
  async () => {
    const node = hostNode ?? (await packagedNode(TOO_OLD));
    const { status, stdout, stderr } = spawnSync(node, ['dist/main.js', 'all'], { encoding: 'utf8' });
    expect(stderr).toMatch(
      /^dhara: Node\.js \S+ or newer is needed, and this is \S+\. `npm start` brings its own\.\n$/,
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  },
);

describe.runIf(IS_FULL)('the whole service', () => {
  it.each([lowestNodeVersion(), HIGHEST])(
    'on Node.js %s lists videos, creates tokens, plays and takes a payment by its webhook',
    async (version) => {
      const node = await packagedNode(version);
      const folder = await makeDemoDataDir();
      const settings = { DATA_DIR: folder.path, PORT: String(await findFreePort()) };
      const service = ServiceProcess.start(['all'], settings, { node });
      try {
        const demo = await service.demo();
        const headers = { 'x-service-key': demo.apiKey };
        const list = await fetch(`${demo.url}/v1/video`, { headers });
        expect(await list.json()).toMatchObject({ success: true, data: [{ id: demo.videoId, status: 'ready' }] });

        const minted = await fetch(`${demo.url}/v1/video/${demo.videoId}/playback-token`, { method: 'POST', headers });
        const { data } = (await minted.json()) as { data: { manifestUrl: string } };
        const manifest = (await (await fetch(data.manifestUrl)).json()) as { data: { url: string } };
        expect(await (await fetch(manifest.data.url)).text()).toContain('#EXTM3U');

        const cookie = await signIn(demo);
        const graphql = async (query: string) => {
          const response = await fetch(`${demo.url}/graphql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', origin: demo.url, cookie },
            body: JSON.stringify({ query }),
          });
          return (await response.json()) as { data: Record<string, Record<string, unknown>> };
        };
        const begun = await graphql(CREATE_TOP_UP);
        const { id, checkout } = begun.data['createTopUp'] as { id: string; checkout: { url: string } };
        const page = await PayPage.open(checkout.url);
        await page.press(page.buttons()[0]!, { payer: 'payer@example.com' });
        await service.until(async () => {
          const { data: now } = await graphql(`{ topUp(id: "${id}") { status } }`);
          return now['topUp']!['status'] === 'PAID';
        }, 'the webhook has credited');
        expect(await service.stop()).toBe(0);
      } finally {
        await service.stop('SIGKILL');
        await folder.remove();
      }
    },
  );
});

const CREATE_TOP_UP = `mutation {
  createTopUp(amount: "100", provider: RAZORPAY, idempotencyKey: "node-versions") { id checkout { url } }
}`;

/** The host's own Node.js, if it is too old. */
function findOldNode(): string | null {
  const dirs = (process.env['PATH'] ?? '').split(delimiter).filter((dir) => !dir.includes('node_modules'));
  for (const path of dirs.map((dir) => join(dir, 'node'))) {
    if (!existsSync(path)) continue;
    const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.trim().slice(1);
    if (version && nodeVersionFault(version) !== null) return path;
  }
  return null;
}

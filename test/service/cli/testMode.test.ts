import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock } from '../../../src/db/virtualClock.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { addVideo, clockAfterNoon } from '../../support/contract/service.js';
import type { Client } from '../../support/graphql/client.js';
import { dhara as runDhara, type Ended } from '../../support/terminal.js';
import { GraphqlService } from '../graphql/service.js';
import { keepToken } from './keepToken.js';

let service: GraphqlService;
let owner: Client;
let configHome: string;

beforeAll(async () => {
  service = await GraphqlService.start();
  // A quota is one of a UTC day, so no midnight may come.
  await installVirtualClock(service.database.migrationUrl);
  await clockAfterNoon(service);
  owner = await service.signedIn('owner@example.com');
  configHome = await mkdtemp(join(tmpdir(), 'dhara-cli-'));
  await keepToken(service, owner, configHome, ['read', 'manage']);
});
afterAll(async () => {
  await service?.stop();
  if (configHome) await rm(configHome, { recursive: true });
});

const dhara = (args: readonly string[]): Promise<Ended> => runDhara(args, { XDG_CONFIG_HOME: configHome });

describe('in test mode', () => {
  it('commands with --test show what test mode has, and nothing else', async () => {
    const { services } = service;
    const testId = await services.testMode.accountOf(owner.accountId);
    const videoId = videoIdOf(await addVideo(services.db, testId, { title: 'On trial' }));
    const live = videoIdOf(await addVideo(services.db, owner.accountId, { title: 'On air' }));
    expect(JSON.parse((await dhara(['videos', '--test', '--json'])).out)).toMatchObject([{ id: videoId }]);
    expect((await dhara(['videos'])).out).not.toContain('On trial');
    expect((await dhara(['video', videoId, '--test'])).code).toBe(0);
    for (const args of [
      ['video', videoId],
      ['video', live, '--test'],
      ['token', live, '--test'],
    ]) {
      expect(await dhara(args)).toMatchObject({ code: 1, err: 'dhara: Video not found.\n' });
    }
    expect((await dhara(['token', videoId, '--test'])).out).toMatch(/^eyJ/);
    expect((await dhara(['play', videoId, '--test', '--print'])).out).toContain('/watch#eyJ');
    expect(await dhara(['keys', '--test'])).toMatchObject({ code: 0, out: 'No API keys.\n' });
    expect((await dhara(['wallet', '--test'])).code).toBe(2);
  });

  it('dhara fault makes keys, webhook endpoints and disputes that test a site', async () => {
    const { out: key } = await dhara(['fault', 'quota-nearly-used']);
    expect(key).toMatch(/^dk_test_\w{49}\n$/);
    expect((await dhara(['quota', '--test'])).out).toMatch(/quota-nearly-used +dk_test_\w+…\w{4} +999 +1000\n/);
    expect((await dhara(['quota'])).out).not.toContain('quota-nearly-used');
    expect((await dhara(['fault', 'tokens-expired'])).out).toMatch(/^dk_test_/);

    const url = 'http://127.0.0.1:9/hooks';
    const made = JSON.parse((await dhara(['fault', 'out-of-order', '--url', url, '--json'])).out) as object;
    expect(made).toMatchObject({ fault: 'out-of-order', url, secret: expect.stringMatching(/^whsec_/) as string });
    expect((await dhara(['fault', 'twice', '--url', url])).out).toMatch(
      /^Webhooks to \S+ are signed with whsec_\S+\n$/,
    );

    expect((await dhara(['fault', 'dispute-won'])).code).toBe(1);
    expect((await dhara(['fault', 'payment-disputed'])).out).toBe(
      'dispute.opened is in the event log of test mode. Credits available: 0, on hold: 500, debt: 0.\n',
    );
    expect((await dhara(['fault', 'dispute-won'])).out).toBe('Credits available: 500, on hold: 0, debt: 0.\n');
    await dhara(['fault', 'payment-disputed']);
    const lost = JSON.parse((await dhara(['fault', 'dispute-lost', '--json'])).out) as object;
    expect(lost).toEqual({ fault: 'dispute-lost', available: '500', disputeHold: '0', debt: '0' });
    expect((await dhara(['fault', 'clock-moved', '--by', '90s'])).out).toMatch(/^In test mode it is \d{4}-\S+Z\.\n$/);
    const moved = JSON.parse((await dhara(['fault', 'clock-moved', '--by', '10m', '--json'])).out) as object;
    expect(moved).toMatchObject({ movedSeconds: 690 });
    const types = ['--types', 'dispute.opened', '--json'];
    expect(JSON.parse((await dhara(['events', '--test', ...types])).out)).toMatchObject([
      { livemode: false },
      { livemode: false },
    ]);
    expect(JSON.parse((await dhara(['events', ...types])).out)).toEqual([]);
    const faults = await service.rows<{ fault: string }>(
      'select distinct fault from test_fault f join test_account t using (account_id) where live_account_id = $1 order by 1',
      [owner.accountId],
    );
    expect(faults.map(({ fault }) => fault)).toEqual([
      'CLOCK_MOVED',
      'DISPUTE_LOST',
      'DISPUTE_WON',
      'OUT_OF_ORDER',
      'PAYMENT_DISPUTED',
      'PAYMENT_MADE',
      'QUOTA_NEARLY_USED',
      'TOKENS_EXPIRED',
      'TWICE',
    ]);
    for (const args of [
      ['encode-fails-at-half'],
      ['twice'],
      ['tokens-expired', '--url', url],
      ['clock-moved'],
      ['clock-moved', '--by', 'soon'],
      ['tokens-expired', '--by', '1d'],
      [],
    ]) {
      expect((await dhara(['fault', ...args])).code).toBe(2);
    }
  });

  it('the commands of docs/test-mode.md run as they are written', async () => {
    const commands = (await readFile('docs/test-mode.md', 'utf8')).match(/^dhara fault .+$/gm)!;
    expect(commands).toHaveLength(7);
    for (const command of commands) {
      const [, ...args] = command.replace('https://example.com/hooks', 'http://127.0.0.1:9/recipe').split(' ');
      expect([command, (await dhara(args)).code]).toEqual([command, 0]);
    }
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { makeDemoDataDir } from '../../support/demoDataDir.js';
import { ServiceProcess, type Demo } from '../../support/service.js';

const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;

describe('a running service whose clock is once a year ahead', () => {
  let folder: Awaited<ReturnType<typeof makeDemoDataDir>>;
  let settings: { DATA_DIR: string; PORT: string };
  let service: ServiceProcess;
  let demo: Demo;
  let migrationUrl: string;
  let admin: pg.Client;

  beforeAll(async () => {
    folder = await makeDemoDataDir();
    settings = { DATA_DIR: folder.path, PORT: String(await findFreePort()) };
    service = ServiceProcess.start(['all'], settings);
    demo = await service.demo();
    const urls = await readFile(join(folder.path, 'run', 'database.json'), 'utf8');
    ({ migrationUrl } = JSON.parse(urls) as { migrationUrl: string });
    admin = new pg.Client({ connectionString: migrationUrl });
    await admin.connect();
    await installVirtualClock(migrationUrl);
  });
  afterAll(async () => {
    await admin?.end();
    await service?.stop('SIGKILL');
    await folder?.remove();
  });

  async function dhara(...args: string[]): Promise<{ code: number | null; output: string }> {
    const process = ServiceProcess.start(args, settings);
    return { code: await process.exit(), output: process.output };
  }

  async function mint(): Promise<{ status: number; reset: number }> {
    const response = await fetch(`${demo.url}/v1/video/${demo.videoId}/playback-token`, {
      method: 'POST',
      headers: { 'x-service-key': demo.apiKey },
    });
    return { status: response.status, reset: Number(response.headers.get('x-ratelimit-reset')) };
  }

  async function chargedDays(): Promise<number> {
    const { rows } = await admin.query<{ days: number }>('select count(*)::int as days from storage_day');
    return rows[0]!.days;
  }

  it('charges nothing, raises an alert, keeps its keys, and continues after a person has accepted the clock', async () => {
    expect((await dhara('clock')).code).toBe(0);
    const before = await mint();

    await setClockOffset(migrationUrl, YEAR_MS);
    const night = await dhara('storage', 'run');
    expect(night.code).toBe(1);
    expect(night.output).toMatch(/is on hold until a person checks the clock/);
    expect(await chargedDays()).toBe(0);
    const ahead = await mint();
    expect(ahead.status).toBe(200);
    expect(ahead.reset).toBeGreaterThanOrEqual(before.reset + 365 * 86_400);

    await setClockOffset(migrationUrl, 0);
    const back = await mint();
    expect(back.status).toBe(200);
    expect(back.reset - before.reset).toBeLessThanOrEqual(86_400);
    const shown = await dhara('clock');
    expect(shown.code).toBe(1);
    expect(shown.output).toMatch(/jumped 366 days ahead/);
    const { rows } = await admin.query('select kind from alert where resolved_at is null');
    expect(rows).toEqual([{ kind: 'clock.held' }]);

    const { rows: today } = await admin.query<{ day: string; next: string }>(
      `select d::text as day, (d + 1)::text as next from (select (service_now() at time zone 'UTC')::date as d) t`,
    );
    expect((await dhara('clock', 'accept', '--today', '2031-01-01', '--reason', 'no')).output).toMatch(
      /Correct it first/,
    );
    const accepted = await dhara('clock', 'accept', '--today', today[0]!.day, '--reason', 'NTP was off');
    expect(accepted.output).toMatch(/^Accepted/);
    expect(accepted.code).toBe(0);
    expect(await dhara('clock')).toMatchObject({ code: 0 });
    expect((await dhara('storage', 'run')).code).toBe(0);
    // At most what the demo's own day or a midnight meanwhile costs, not a year.
    expect(await chargedDays()).toBeLessThanOrEqual(1);
    expect(await dhara('ledger', 'verify')).toMatchObject({ code: 0 });
  });

  it('returns a year of nights that a person confirmed by mistake', async () => {
    const balances = async () =>
      (await admin.query('select owner_id, account_no, balance from ledger_account order by 1, 2')).rows;
    const dayOf = async (offset: number) => {
      await setClockOffset(migrationUrl, offset);
      const { rows } = await admin.query<{ day: string }>(
        `select (service_now() at time zone 'UTC')::date::text as day`,
      );
      return rows[0]!.day;
    };
    // Enough that a year of it costs more than the balance.
    await admin.query(`
      insert into stored_object (account_id, key, video_id, size_bytes, stored_at)
      select account_id, 'sources/' || account_id || '/' || id || '/huge', id, 900000000000, service_now() from video limit 1`);
    const before = await balances();

    await dhara('clock', 'accept', '--today', await dayOf(YEAR_MS), '--reason', 'by mistake');
    expect((await dhara('storage', 'run')).output).not.toMatch(/is on hold until a person/);
    await expect.poll(chargedDays).toBeGreaterThan(360);
    expect(await balances()).not.toEqual(before);

    const today = await dayOf(0);
    await dhara('clock', 'accept', '--today', today, '--reason', 'it was wrong');
    const shown = await dhara('storage', 'reverse', '--from', today);
    expect(shown.output).toMatch(/credits for 36\d days/);
    const reversed = await dhara('storage', 'reverse', '--from', today, '--reason', 'a wrong date was confirmed');
    expect(reversed.output).toMatch(/Reversed/);
    expect(reversed.code).toBe(0);
    expect(await balances()).toEqual(before);
    expect(await dhara('ledger', 'verify')).toMatchObject({ code: 0 });
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { FileSealArchive } from '../../../src/adapters/seals/fileSealArchive.js';
import { clockCommand } from '../../../src/cli/clockCommand.js';
import { AlertService } from '../../../src/domain/shared/alerts/alert.service.js';
import { mendStoredTimes } from '../../../src/domain/media/objects/storedObject.sql.js';
import { ClockService } from '../../../src/domain/shared/clock/clock.service.js';
import { LedgerAudit } from '../../../src/domain/ledger/seals/ledgerAudit.js';
import { StorageService } from '../../../src/domain/payments/storage/storage.service.js';
import { GB, StorageScene, CREDIT } from '../../support/storage/scene.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOON = Date.parse('2027-03-10T12:00:00Z');
const live = new AbortController().signal;

/** A machine whose calendar and uptime the test sets. */
class Machine {
  calendarOffMs = 0;
  uptime = 10 * HOUR_MS;
  constructor(public runId: string) {}

  uptimeMs(): number {
    return this.uptime;
  }

  nowMs(): number {
    return Date.now() + this.calendarOffMs;
  }

  boot(): void {
    this.runId += '+';
    this.uptime = MINUTE_MS;
  }
}

let scene: StorageScene;
let machine: Machine;
let clock: ClockService;

beforeEach(async () => {
  scene = await StorageScene.open('2027-03-10');
  await scene.admin.query('update service_clock set nights_confirmed_through = null');
  machine = new Machine('one');
  clock = clockOf(machine);
  await at(NOON);
  await scene.admin.query('update service_clock set seen_at = service_now()');
  expect(await clock.look()).toBe(true);
});
afterEach(() => scene.close());

function clockOf(of: Machine): ClockService {
  return new ClockService({ db: scene.db, machine: of, mendStored: mendStoredTimes });
}

function at(timeMs: number): Promise<void> {
  return scene.setClock(new Date(timeMs).toISOString());
}

/** Lets time pass for everybody, and makes only the database's clock leap. */
async function pass(ms: number, leapMs = 0): Promise<void> {
  machine.uptime += ms;
  await at(NOON + ms + leapMs);
}

async function alerts(): Promise<string[]> {
  const service = new AlertService({
    db: scene.db,
    mailer: { send: async () => undefined },
    logger: pino({ level: 'silent' }),
    mailTo: null,
  });
  return (await service.list({ first: 10, after: null })).map((alert) => `${alert.kind}: ${alert.message}`);
}

describe('the watch over the clock of the database', () => {
  it('accepts a clock that runs like the machine’s, after a week without a check', async () => {
    await pass(7 * DAY_MS);
    expect(await clock.look()).toBe(true);
    expect(await alerts()).toEqual([]);
  });

  it.each([
    ['six minutes ahead', 6 * MINUTE_MS, /jumped 6 minutes ahead, to 2027-03-10 13:06 UTC/],
    ['a year ahead', 365 * DAY_MS, /jumped 365 days ahead/],
    ['six minutes back', -6 * MINUTE_MS, /jumped 6 minutes back/],
    ['a year back', -365 * DAY_MS, /jumped 365 days back/],
  ])(
    'holds daily charges and raises an alert when the clock leaps %s while the machine runs',
    async (_, leapMs, message) => {
      await pass(HOUR_MS, leapMs);
      expect(await clock.look()).toBe(false);
      expect(await alerts()).toEqual([expect.stringMatching(message)]);
      // After it is set right, it still waits for a person to accept it.
      await pass(HOUR_MS);
      expect(await clock.look()).toBe(false);
    },
  );

  it('tolerates a leap of four minutes', async () => {
    await pass(HOUR_MS, 4 * MINUTE_MS);
    expect(await clock.look()).toBe(true);
  });

  it('finds a leap after a restart of the service on a machine that kept running', async () => {
    await pass(HOUR_MS, 20 * HOUR_MS);
    expect(await clockOf(machine).look()).toBe(false);
  });

  it('accepts a machine that was off for a day, and holds after three days', async () => {
    machine.boot();
    await at(NOON + DAY_MS);
    expect(await clock.look()).toBe(true);
    machine.boot();
    await at(NOON + 4 * DAY_MS);
    expect(await clock.look()).toBe(false);
    expect(await alerts()).toEqual([expect.stringMatching(/either nothing ran for 3 days, or it jumped/)]);
  });

  it('finds, from any machine, a clock that reads less than it did before', async () => {
    await at(NOON - 10 * MINUTE_MS);
    expect(await clockOf(new Machine('two')).look()).toBe(false);
    expect(await alerts()).toEqual([
      expect.stringMatching(/reads 2027-03-10 11:50 UTC, but has read 2027-03-10 12:00/),
    ]);
  });

  it('finds a process whose own clock is off', async () => {
    const two = new Machine('two');
    two.calendarOffMs = -20 * MINUTE_MS;
    expect(await clockOf(two).look()).toBe(false);
    expect(await clock.look()).toBe(false);
    expect(await alerts()).toEqual([expect.stringMatching(/a service machine is 20 minutes behind/)]);
  });

  it('raises one alert, however many processes check', async () => {
    await pass(HOUR_MS, DAY_MS);
    const looks = await Promise.all(Array.from({ length: 8 }, () => clockOf(machine).look()));
    expect(looks).toEqual(Array(8).fill(false));
    const { rows } = await scene.admin.query<{ times: number }>('select times from alert');
    expect(rows).toEqual([{ times: 1 }]);
  });
});

describe('the nightly verification of the books', () => {
  it('is held like the nights, and due once a person has accepted the clock', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'dhara-held-seals-'));
    try {
      const audit = new LedgerAudit({ db: scene.db, archive: new FileSealArchive({ dir }), clock });
      await pass(HOUR_MS, 365 * DAY_MS);
      expect(await audit.nightly()).toBe(0);
      expect(await alerts()).toEqual([expect.stringMatching(/jumped 365 days ahead/)]);
      expect(await audit.health()).toMatchObject({ lastVerifiedAt: null, lastSeal: null });

      await pass(HOUR_MS);
      expect(await audit.nightly()).toBe(0);
      await clock.accept('2027-03-10', 'NTP was off');
      expect(await audit.nightly()).toBe(1);
      expect((await audit.health()).lastVerifiedAt!.toISOString()).toContain('2027-03-10T13:0');
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe('accepting the clock', () => {
  it('requires the current date and a reason, and refuses a clock that is still wrong', async () => {
    await pass(HOUR_MS, 365 * DAY_MS);
    await clock.look();
    await expect(clock.accept('2027-03-10', 'it is noon')).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: 'The database’s clock reads 2028-03-09, not 2027-03-10. Correct it first.',
    });
    await pass(HOUR_MS);
    await expect(clock.accept('2027-03-10', ' ')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    machine.calendarOffMs = HOUR_MS;
    await expect(clock.accept('2027-03-10', 'it is noon')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    machine.calendarOffMs = 0;
    await clock.accept('2027-03-10', 'it is noon');

    expect(await clock.look()).toBe(true);
    expect(await alerts()).toEqual([]);
    const { rows } = await scene.admin.query('select actor_id, action, subject, reason, details from audit_entry');
    expect(rows).toEqual([
      {
        actor_id: null,
        action: 'clock.accept',
        subject: '2027-03-10',
        reason: 'it is noon',
        details: expect.objectContaining({ heldWhy: expect.stringMatching(/jumped 365 days/) }) as unknown,
      },
    ]);
  });
});

describe('dhara clock', () => {
  const lines: string[] = [];
  const run = async (...args: string[]) => {
    lines.length = 0;
    const app = { clock, storage: new StorageService(scene.db, clock) };
    return clockCommand(args, (line) => lines.push(line))(app);
  };

  it('says what is on hold and why, and exits with 1 until a person has accepted the clock', async () => {
    await pass(HOUR_MS, 2 * DAY_MS);
    expect(await run()).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^The database's clock reads 2027-03-12T13:0\d:\S+Z; this machine's \S+Z\.$/),
      expect.stringMatching(/^Daily charges are on hold\. .*jumped 2 days ahead.* last trusted at 2027-03-10T12:0/),
      '2 days of storage wait, from 2027-03-10 on.',
      'Correct the clocks if they are wrong, then run: dhara clock accept --today YYYY-MM-DD --reason TEXT',
    ]);

    expect(await run('accept', '--today', '2027-03-12', '--reason', 'the machine was asleep')).toBe(0);
    expect(lines).toEqual(['Accepted: it is 2027-03-12.', '2 days of storage will be charged within 15 minutes.']);
    expect(await run()).toBe(0);
    expect(lines.at(-1)).toBe('2 days of storage are due, from 2027-03-10 on.');
  });

  it('tells which nights were charged ahead of time, and how to return them', async () => {
    const accountId = await scene.account({ CLOUD: 100n * CREDIT });
    await scene.store(accountId, { bytes: 20n * GB, storedAt: '2027-03-01' });
    await pass(HOUR_MS, 2 * DAY_MS);
    await clock.look();
    await clock.accept('2027-03-12', 'by mistake');
    await new StorageService(scene.db, clock).runDueNights(live);
    await pass(HOUR_MS);
    expect(await run('accept', '--today', '2027-03-10', '--reason', 'it was wrong')).toBe(0);
    expect(lines).toEqual([
      'Accepted: it is 2027-03-10.',
      expect.stringMatching(/^2 days of storage were charged before they were over: [\d.]+ credits\.$/),
      'To return them, run: dhara storage reverse --from 2027-03-10 --reason TEXT',
    ]);
  });
});

describe('nights', () => {
  async function owner(): Promise<string> {
    const accountId = await scene.account({ CLOUD: 100n * CREDIT });
    await scene.store(accountId, { bytes: 20n * GB, storedAt: '2027-03-01' });
    return accountId;
  }

  function storage(): StorageService {
    return new StorageService(scene.db, clock);
  }

  it('are not charged by a clock that leapt, nor after it was set back, until a person accepts it', async () => {
    const accountId = await owner();
    await pass(HOUR_MS, 366 * DAY_MS);
    expect(await storage().runDueNights(live)).toEqual([]);
    await expect(storage().runNight('2027-03-10', live)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await pass(DAY_MS);
    expect(await storage().runDueNights(live)).toEqual([]);
    expect(await scene.days(accountId)).toEqual([]);

    await clock.accept('2027-03-11', 'the clock was a year ahead');
    expect(await storage().runDueNights(live)).toMatchObject([{ day: '2027-03-10' }]);
    expect(await scene.days(accountId)).toMatchObject([{ day: '2027-03-10' }]);
    expect(await scene.faults()).toEqual([]);
  });

  it('count what was stored and removed while the clock was ahead from the moment it is accepted', async () => {
    const accountId = await scene.account({ CLOUD: 1_000n * CREDIT });
    await pass(HOUR_MS, 366 * DAY_MS);
    expect(await clock.look()).toBe(false);
    await scene.store(
      accountId,
      { bytes: 2n * GB, storedAt: '2028-03-10T13:00:00Z' },
      { bytes: 5n * GB, storedAt: '2027-03-01', removedAt: '2028-03-10T13:00:00Z' },
      { bytes: 7n * GB, storedAt: '2028-03-10T13:00:00Z', removedAt: '2028-03-10T13:05:00Z' },
    );
    await pass(2 * HOUR_MS);
    await clock.accept('2027-03-10', 'the clock was a year ahead');
    await pass(DAY_MS);
    expect(await storage().runDueNights(live)).toMatchObject([{ day: '2027-03-10' }]);
    expect(await scene.days(accountId)).toMatchObject([{ day: '2027-03-10', bytes: (2n * GB).toString() }]);
    expect(await scene.faults()).toEqual([]);
  });

  it('are charged automatically up to 48 hours late; later ones wait for a person', async () => {
    const accountId = await owner();
    // The night of the 10th is due at 00:15 on the 11th.
    const due = Date.parse('2027-03-11T00:15:00Z') - NOON;
    await pass(due + 48 * HOUR_MS + MINUTE_MS);
    expect(await storage().runDueNights(live)).toEqual([]);
    expect(await storage().waiting()).toEqual({ nights: 3, from: '2027-03-10', waits: true });
    expect(await alerts()).toEqual([
      expect.stringMatching(/^storage.late: Storage charges for 3 days, from 2027-03-10 on, are on hold/),
    ]);

    await pass(due + 47 * HOUR_MS);
    await clock.accept('2027-03-12', 'back to before');
    await scene.admin.query('update service_clock set nights_confirmed_through = null');
    const nights = await storage().runDueNights(live);
    expect(nights.map((night) => night.day)).toEqual(['2027-03-10', '2027-03-11']);
    expect(await scene.days(accountId)).toHaveLength(2);
  });

  it('of a week without the service are all charged once a person has confirmed them', async () => {
    const accountId = await owner();
    await pass(7 * DAY_MS);
    expect(await storage().runDueNights(live)).toEqual([]);
    await clock.accept('2027-03-17', 'it was off for a week');
    expect(await storage().runDueNights(live)).toHaveLength(7);
    expect(await scene.days(accountId)).toHaveLength(7);
    expect(await alerts()).toEqual([]);
  });
});

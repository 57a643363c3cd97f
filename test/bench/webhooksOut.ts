/**
 * Sends the events of each second to 50 endpoints, five of which are dead. Measures how late the others' webhooks arrive,
 * and how much the sending process grows: its resident memory, and its heap after a collection.
 * Every event is for one endpoint. This process writes and receives.
 *
 * BENCH_HOOK_EVENTS=10000  BENCH_HOOK_RATE=200
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { pino } from 'pino';

import { HttpWebhookSender } from '../../src/adapters/webhooks/httpSender.js';
import { parseNetworks } from '../../src/adapters/webhooks/networks.js';
import { HEAP_FLAGS } from '../../src/cli/ownProcess.js';
import { PostgresDatabase } from '../../src/db/database.js';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { migrate } from '../../src/db/migrate.js';
import { appendEvents } from '../../src/domain/shared/events/appendEvent.js';
import { newId } from '../../src/domain/shared/ids.js';
import { WebhookService } from '../../src/domain/accounts/webhooks/webhooks.service.js';
import { WebhookSecrets } from '../../src/domain/accounts/webhooks/webhookSecrets.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';
import { endOf, residentMb } from './processes.js';

const EVENTS = Number(process.env['BENCH_HOOK_EVENTS'] ?? 10_000);
const PER_SECOND = Number(process.env['BENCH_HOOK_RATE'] ?? 200);
const ENDPOINTS = 50;
const DEAD = 5;
const MAX_P95_MS = 5_000;
const MAX_GROWTH_MB = 200;
/** A leak of one kilobyte per event would be 20 MB after 20,000. */
const MAX_HELD_MB = 20;
/** Of the first events, so that what is loaded once is not counted as growth. */
const WARM_UP = 500;

const dataDir = (await makeDataDir('dhara-bench-hooks-')).path;
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }) });
const lateMs: number[] = [];
const server = createServer((req, res) => {
  const parts: Buffer[] = [];
  req.on('data', (part: Buffer) => parts.push(part));
  req.on('end', () => {
    // A dead server takes the request, and never responds.
    if (req.url === '/dead') return;
    const { timestamp } = JSON.parse(Buffer.concat(parts).toString()) as { timestamp: string };
    lateMs.push(Date.now() - Date.parse(timestamp));
    res.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const ends: (() => Promise<unknown>)[] = [];
try {
  await migrate(postgres);
  const db = await PostgresDatabase.connect({ url: postgres.runtimeUrl, maxConnections: 20 });
  ends.push(() => db.close());
  const masterKey = Buffer.alloc(32, 1);
  const secrets = new WebhookSecrets({ current: masterKey, previous: [] });
  const sender = new HttpWebhookSender({ allowsHttp: true, allowedNetworks: parseNetworks('127.0.0.0/8') });
  const service = new WebhookService({ db, secrets, sender });
  const accountIds = await Promise.all(
    Array.from({ length: ENDPOINTS }, async (_, index) => {
      const accountId = newId();
      await db.sql.query({ name: 'bench-open-account', text: 'select open_account($1)' }, [accountId]);
      const url = `http://127.0.0.1:${port}/${index < DEAD ? 'dead' : 'alive'}`;
      await service.create(accountId, { url, description: '', eventTypes: null });
      return accountId;
    }),
  );
  const script = new URL('./webhooksOutSender.ts', import.meta.url).pathname;
  const options = { url: postgres.runtimeUrl, masterKey: masterKey.toString('base64') };
  const child = fork(script, [JSON.stringify(options)], {
    execArgv: [...HEAP_FLAGS, '--expose-gc', '--import', 'tsx'],
  });
  ends.push(() => endOf(child));
  await once(child, 'message');

  const heapMb = async () => {
    child.send('heap');
    return ((await once(child, 'message')) as [number])[0];
  };
  let beforeMb = 0;
  let heldBeforeMb = 0;
  const startedAt = performance.now();
  for (let sent = 0; sent < EVENTS;) {
    const due = Math.min(EVENTS, Math.floor(((performance.now() - startedAt) / 1_000) * PER_SECOND));
    const fresh = Array.from({ length: due - sent }, (_, n) => sent + n);
    await appendEvents(
      db.sql,
      fresh.map((n) => ({
        accountId: accountIds[n % ENDPOINTS]!,
        type: 'wallet.low' as const,
        fact: String(n),
        data: { balance: '1', threshold: '2' },
      })),
    );
    sent = due;
    if (sent < WARM_UP) beforeMb = residentMb(child.pid!).now;
    else heldBeforeMb ||= await heapMb();
    await delay(5);
  }
  const wroteInSeconds = (performance.now() - startedAt) / 1_000;
  const expected = Math.floor((EVENTS / ENDPOINTS) * (ENDPOINTS - DEAD));
  while (lateMs.length < expected) await delay(50);
  const sorted = lateMs.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]!;
  const memory = residentMb(child.pid!);
  const grownMb = memory.highest - beforeMb;
  const heldMb = await heapMb();
  const isMet = at(0.95) < MAX_P95_MS && grownMb < MAX_GROWTH_MB && heldMb - heldBeforeMb < MAX_HELD_MB;
  console.log(
    `${isMet ? 'ok    ' : 'MISSED'} ${EVENTS} events in ${wroteInSeconds.toFixed(0)} s to ${ENDPOINTS} endpoints, ${DEAD} dead: ` +
      `delay p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${sorted.at(-1)} ms (target p95 below ${MAX_P95_MS} ms); ` +
      `memory of the sender grew by ${grownMb} MB to ${memory.highest} MB (target below ${MAX_GROWTH_MB} MB more); ` +
      `its heap held ${heldBeforeMb} MB after ${WARM_UP} events and ${heldMb} MB at the end (target below ${MAX_HELD_MB} MB more)`,
  );
  if (!isMet) process.exitCode = 1;
} finally {
  for (const end of ends.toReversed()) await end();
  server.close();
  server.closeAllConnections();
  await postgres.stop();
  await removeDataDir(dataDir);
}

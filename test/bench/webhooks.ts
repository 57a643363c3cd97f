/**
 * The webhook receiver at a steady rate, beside a bare Express with one insert: real signed payloads, each of a
 * different payment, while the service also processes them. The two take turns; latencies count from when a request
 * was due.
 *
 * BENCH_WEBHOOK_RATE=200  BENCH_WEBHOOK_SECONDS=10
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';
import pg from 'pg';
import { pino } from 'pino';

import { razorpayEvent, sandboxId, signedHeaders } from '../../src/adapters/payments/sandbox/payloads/index.js';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { findFreePort } from '../support/freePort.js';
import { migrate } from '../../src/db/migrate.js';
import { deriveKey } from '../../src/domain/shared/secrets/masterKey.js';
import { startService } from './processes.js';
import type { SteadyLoad, SteadyResult } from './steadyLoad.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';

const PER_SECOND = Number(process.env['BENCH_WEBHOOK_RATE'] ?? 200);
const DURATION_MS = Number(process.env['BENCH_WEBHOOK_SECONDS'] ?? 10) * 1000;
const MAX_P99_MS = 50;
const WARM_UP_MS = 2_000;
const POOL_SIZE = 10;

const dataDir = (await makeDataDir('dhara-bench-webhooks-')).path;
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }) });
const driver = fork(new URL('./steadyLoad.ts', import.meta.url).pathname, [], { execArgv: ['--import', 'tsx'] });
const masterKey = randomBytes(32);
const secret = deriveKey(masterKey, 'payment-sandbox').toString('hex');
const ends: (() => Promise<unknown>)[] = [];
try {
  await migrate(postgres);
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const service = await startService({ ...postgres, poolSize: POOL_SIZE, masterKey, dataDir, port, publicUrl });
  ends.push(() => service.stop());
  const bare = await startBare();

  for (const port of [bare.port, service.port]) await drive(port, WARM_UP_MS);
  const bareMs = await drive(bare.port, DURATION_MS);
  const ourMs = await drive(service.port, DURATION_MS);
  const isMet = at(ourMs, 0.99) < MAX_P99_MS;
  const both = (latencies: readonly number[]) =>
    `p50 ${at(latencies, 0.5).toFixed(1)} ms, p99 ${at(latencies, 0.99).toFixed(1)} ms`;
  console.log(
    `${isMet ? 'ok    ' : 'MISSED'} webhooks at ${PER_SECOND}/s: ${both(ourMs)} ` +
      `(target p99 below ${MAX_P99_MS} ms; bare express and pg: ${both(bareMs)})`,
  );
  if (!isMet) process.exitCode = 1;
} finally {
  driver.disconnect();
  for (const end of ends) await end();
  await postgres.stop();
  await removeDataDir(dataDir);
}

/** The simplest receiver: no signature, one insert. In this process, which does nothing else meanwhile. */
async function startBare(): Promise<{ port: number }> {
  const pool = new pg.Pool({ connectionString: postgres.migrationUrl, max: POOL_SIZE });
  pool.on('error', () => undefined);
  await pool.query(
    'create table bare_webhook (id uuid primary key, body bytea not null, received_at timestamptz not null)',
  );
  const app = express();
  app.post('/webhooks/razorpay', express.raw({ type: () => true, limit: '1mb' }), async (req, res) => {
    const insert = { name: 'bare', text: 'insert into bare_webhook values ($1, $2, now())' };
    await pool.query({ ...insert, values: [randomUUID(), req.body] });
    res.json({ received: true });
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
    await pool.end();
  });
  return { port: (server.address() as AddressInfo).port };
}

async function drive(port: number, durationMs: number): Promise<readonly number[]> {
  const count = Math.ceil((durationMs / 1000) * PER_SECOND);
  const requests = Array.from({ length: count }, signedWebhook);
  const load: SteadyLoad = { port, perSecond: PER_SECOND, durationMs, requests };
  const answered = nextMessage(driver);
  driver.send(load);
  const { latenciesMs, statuses } = await answered;
  if (statuses['200'] !== latenciesMs.length) throw new Error(`answered ${JSON.stringify(statuses)}`);
  return latenciesMs;
}

async function nextMessage(child: ChildProcess): Promise<SteadyResult> {
  const [result] = (await once(child, 'message')) as [SteadyResult];
  return result;
}

/** A captured payment of an unknown order: accepted and processed like any other. */
function signedWebhook(): SteadyLoad['requests'][number] {
  const at = new Date();
  const order = {
    orderId: sandboxId('order'),
    accountId: randomUUID(),
    topUpId: randomUUID(),
    amountMinor: 49_900n,
    currency: 'INR',
    description: 'Dhara credits',
    returnUrl: 'https://dhara.example',
    createdAt: at,
    expiresAt: at,
  };
  const paymentId = sandboxId('pay');
  const payment = { paymentId, amountMinor: 49_900n, payerEmail: `${paymentId}@example.com`, createdAt: at };
  const event = razorpayEvent('payment.captured', { order, payment }, at);
  return { path: '/webhooks/razorpay', headers: signedHeaders('razorpay', event, secret), body: event.body };
}

function at(latencies: readonly number[], share: number): number {
  return latencies.toSorted((a, b) => a - b)[Math.floor((latencies.length - 1) * share)]!;
}

/**
 * The load driver, a separate process: keep-alive connections over plain sockets, one request at a time on each, sent
 * as soon as the last response is there, or at a steady rate.
 *
 * It reads only the status and length of a response, so that on a small machine the cores are left to the server.
 */
import { Connection } from './connection.js';

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /**
   * Requests that are due each second, whether or not earlier ones have been answered; one that finds no free
   * connection waits for it. Without it, each connection sends its next request when it has its response.
   */
  readonly perSecond?: number;
  /** Complete requests, sent in rotation. */
  readonly requests: readonly string[];
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  /**
   * From when a request was due to its complete response, so that a stalled server pays for the requests it kept
   * waiting.
   */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many responses had each status. */
  readonly statuses: Readonly<Record<string, number>>;
}

const TICK_MS = 1;

/**
 * Requests sent to each port, in all loads: if each load began at the same request, its first thousands would repeat
 * those of the last one, and a server that keeps responses would answer them from memory.
 */
const turns = new Map<number, number>();

async function drive({ port, connections, durationMs, perSecond, ...load }: Load): Promise<LoadResult> {
  const requests = load.requests.map((request) => Buffer.from(request));
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const idle: Connection[] = [];
  let sent = 0;
  const startedAtMs = performance.now();
  const dueAtMs = (): number => (perSecond === undefined ? performance.now() : startedAtMs + (sent / perSecond) * 1000);
  const ready = (connection: Connection): void => {
    const due = dueAtMs();
    if (due - startedAtMs > durationMs) return connection.end();
    if (due > performance.now()) return void idle.push(connection);
    sent += 1;
    const turn = (turns.get(port) ?? 0) + 1;
    turns.set(port, turn);
    connection.send(requests[turn % requests.length]!, due);
  };
  const tick = setInterval(() => {
    for (let left = idle.length; left > 0; left -= 1) ready(idle.shift()!);
  }, TICK_MS);
  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<void>((resolve, reject) => {
          const done = (status: string, latencyMs: number): void => {
            statuses[status] = (statuses[status] ?? 0) + 1;
            latencies.push(latencyMs);
          };
          void new Connection(port, ready, done, (error) => (error ? reject(error) : resolve()));
        }),
    ),
  );
  clearInterval(tick);
  const seconds = (performance.now() - startedAtMs) / 1000;
  const sorted = Float64Array.from(latencies).sort();
  return {
    requestsPerSecond: sorted.length / seconds,
    p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    statuses,
  };
}

process.once('disconnect', () => process.exit());
process.on('message', (load: Load) => {
  drive(load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});

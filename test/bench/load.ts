/**
 * The load driver, a separate process: keep-alive connections over plain sockets, one request at a time on each, sent
 * as soon as the last response is there, or at a steady rate.
 *
 * It reads only the status and length of a response, so that on a small machine the cores are left to the server.
 */
import { connect, type Socket } from 'node:net';

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

const LENGTH = Buffer.from('\r\nContent-Length: ');
const READ_BYTES = 256 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const TICK_MS = 1;

class Connection {
  private readonly socket: Socket;
  private dueAtMs = 0;
  private missing = 0;
  private head: Buffer | null = null;

  constructor(
    port: number,
    private readonly ready: (connection: Connection) => void,
    private readonly done: (status: string, latencyMs: number) => void,
    closed: (error?: Error) => void,
  ) {
    // One buffer for all input: allocating one for each piece would cost more than reading it.
    const callback = (length: number, buffer: Uint8Array): boolean => {
      this.receive(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      return true;
    };
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback };
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.socket.on('connect', () => ready(this));
    this.socket.on('error', closed);
    this.socket.on('close', () => closed());
  }

  private status = '';

  send(request: Buffer, dueAtMs: number): void {
    this.dueAtMs = dueAtMs;
    this.socket.write(request);
  }

  end(): void {
    this.socket.end();
  }

  private receive(chunk: Buffer): void {
    if (this.missing > 0) {
      this.missing -= chunk.length;
    } else {
      const data = this.head ? Buffer.concat([this.head, chunk]) : chunk;
      const headEnd = data.indexOf(HEAD_END);
      if (headEnd === -1) {
        this.head = Buffer.from(data);
        return;
      }
      this.head = null;
      const lengthAt = data.indexOf(LENGTH);
      if (lengthAt === -1 || lengthAt > headEnd) throw new Error('An answer without Content-Length.');
      this.status = data.toString('latin1', 9, 12);
      const length = Number.parseInt(
        data.toString('latin1', lengthAt + LENGTH.length, lengthAt + LENGTH.length + 10),
        10,
      );
      this.missing = headEnd + HEAD_END.length + length - data.length;
    }
    if (this.missing > 0) return;
    this.done(this.status, performance.now() - this.dueAtMs);
    this.ready(this);
  }
}

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
    connection.send(requests[sent % requests.length]!, due);
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

/**
 * The load driver, a process of its own: keep-alive connections over plain sockets, one request at a time on each.
 *
 * It reads no more of an answer than its status and length, so that on a small machine the cores are the server's.
 */
import { connect, type Socket } from 'node:net';

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /** Whole requests, sent round and round. */
  readonly requests: readonly string[];
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
}

const LENGTH = Buffer.from('\r\nContent-Length: ');
const READ_BYTES = 256 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');

class Connection {
  private readonly socket: Socket;
  private sentAtMs = 0;
  private missing = 0;
  private head: Buffer | null = null;

  constructor(
    port: number,
    private readonly next: () => Buffer | null,
    private readonly done: (status: string, latencyMs: number) => void,
    readonly closed: (error?: Error) => void,
  ) {
    // One buffer for all that comes: allocating one for each piece would cost more than reading it.
    const callback = (length: number, buffer: Uint8Array): boolean => {
      this.receive(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      return true;
    };
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback };
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.socket.on('connect', () => this.send());
    this.socket.on('error', closed);
    this.socket.on('close', () => closed());
  }

  private status = '';

  private send(): void {
    const request = this.next();
    if (!request) {
      this.socket.end();
      return;
    }
    this.sentAtMs = performance.now();
    this.socket.write(request);
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
    this.done(this.status, performance.now() - this.sentAtMs);
    this.send();
  }
}

async function drive(load: Load): Promise<LoadResult> {
  const requests = load.requests.map((request) => Buffer.from(request));
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const startedAt = performance.now();
  let sent = 0;
  await Promise.all(
    Array.from(
      { length: load.connections },
      () =>
        new Promise<void>((resolve, reject) => {
          const connection = new Connection(
            load.port,
            () => {
              if (performance.now() - startedAt > load.durationMs) return null;
              sent += 1;
              return requests[sent % requests.length]!;
            },
            (status, latencyMs) => {
              statuses[status] = (statuses[status] ?? 0) + 1;
              latencies.push(latencyMs);
            },
            (error) => (error ? reject(error) : resolve()),
          );
          void connection;
        }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
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

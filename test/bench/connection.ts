import { connect, type Socket } from 'node:net';

const LENGTH = Buffer.from('\r\nContent-Length: ');
const READ_BYTES = 256 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
/** For the input of all connections, since each piece is handled before the next is read. */
const INPUT = Buffer.allocUnsafeSlow(READ_BYTES);

/**
 * A keep-alive connection over a plain socket, with one request at a time. It reads only the status and length of a
 * response, so that on a small machine the cores are left to the server.
 */
export class Connection {
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
    const callback = (length: number, buffer: Uint8Array): boolean => {
      this.receive(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      return true;
    };
    const onread = { buffer: INPUT, callback };
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
      this.status = data.toString('latin1', 9, 12);
      const hasLength = lengthAt !== -1 && lengthAt <= headEnd;
      if (!hasLength && this.status !== '204') throw new Error('An answer without Content-Length.');
      const length = hasLength
        ? Number.parseInt(data.toString('latin1', lengthAt + LENGTH.length, lengthAt + LENGTH.length + 10), 10)
        : 0;
      this.missing = headEnd + HEAD_END.length + length - data.length;
    }
    if (this.missing > 0) return;
    this.done(this.status, performance.now() - this.dueAtMs);
    this.ready(this);
  }
}

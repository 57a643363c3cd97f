import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** A proxy to a database or a store that can be cut, mended or held, to simulate a lost or slow one. */
export class CuttableProxy {
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  private held: Promise<void> | null = null;
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(databaseUrl: string): Promise<CuttableProxy> {
    const target = new URL(databaseUrl);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    const proxy = new CuttableProxy(server, url.href);
    server.on('connection', (socket) => proxy.forward(socket, target));
    return proxy;
  }

  private forward(socket: Socket, target: URL): void {
    if (this.isCut) {
      socket.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const side of [socket, upstream]) {
      this.sockets.add(side);
      side.on('error', () => undefined);
      side.on('close', () => this.sockets.delete(side));
    }
    const gate = Duplex.from((chunks: AsyncIterable<Buffer>) => this.passed(chunks)).on('error', () => undefined);
    socket.pipe(gate).pipe(upstream).pipe(socket);
  }

  private async *passed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      await this.held;
      yield chunk;
    }
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Stops reading from clients until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.held = promise;
    return resolve;
  }

  mend(): void {
    this.isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

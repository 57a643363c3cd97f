import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface ReceivedHook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** In PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

type Answer = (hook: ReceivedHook, res: ServerResponse) => void;

/** A customer's server on loopback. It answers 204 unless told otherwise. */
export class HookServer {
  readonly received: ReceivedHook[] = [];
  answer: Answer = (_hook, res) => void res.writeHead(204).end();
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** With a certificate, it speaks https. */
  static async start(port = 0, certificate?: Certificate): Promise<HookServer> {
    const server = certificate ? createSecureServer({ ...certificate }) : createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const hooks = new HookServer(server, (server.address() as AddressInfo).port);
    server.on('request', (req, res) => void hooks.take(req, res));
    return hooks;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks`;
  }

  /** Ids of events, in the order of their arrival. */
  get ids(): string[] {
    return this.received.map(({ headers }) => String(headers['webhook-id']));
  }

  /** Resolves once so many have come. The test's own limit ends it. */
  async until(count: number): Promise<void> {
    while (this.received.length < count) {
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  /** Cuts every connection off, as when the process is killed. */
  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const hook = { path: req.url!, headers: req.headers, body: Buffer.concat(parts).toString() };
    this.received.push(hook);
    this.answer(hook, res);
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

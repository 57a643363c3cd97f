import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = { readonly status: number; readonly body: unknown } | 'hang' | 'cut';

/** A provider's HTTP server: records requests, and sends the test's responses in turn. */
export class ProviderServer {
  readonly seen: SeenRequest[] = [];
  private readonly answers: Answer[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<ProviderServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const provider = new ProviderServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const { method = '', url = '', headers } = req;
        provider.seen.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
        const answer = provider.answers.length > 1 ? provider.answers.shift()! : (provider.answers[0] ?? 'cut');
        if (answer === 'hang') return;
        if (answer === 'cut') res.destroy();
        else {
          res.writeHead(answer.status, { 'content-type': 'application/json' });
          res.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
        }
      });
    });
    return provider;
  }

  /** Sets the next responses. The last one is repeated. */
  answer(...answers: readonly Answer[]): void {
    this.answers.splice(0, this.answers.length, ...answers);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

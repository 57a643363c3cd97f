import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that only counts connections. */
export async function canaryServer(): Promise<AsyncDisposable & { url: string; calls: () => number }> {
  let calls = 0;
  const server = createServer((_, response) => {
    response.end('canary');
  }).on('connection', () => (calls += 1));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

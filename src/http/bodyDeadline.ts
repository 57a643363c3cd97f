import type { IncomingMessage, Server } from 'node:http';

/** Far more than 100 kB take on a poor line. */
const BODY_WITHIN_MS = 60_000;

/**
 * Cuts connections whose body does not come. Node's own `requestTimeout` cannot be used: it would end uploads, which
 * take hours and watch over themselves.
 *
 * @param exempt the beginning of paths that take their time
 */
export function boundBodies(server: Server, exempt: string, withinMs = BODY_WITHIN_MS): void {
  // Before the application, which rewrites the address while it routes.
  server.prependListener('request', (req) => {
    if (!hasBody(req) || req.url?.startsWith(exempt)) return;
    const { socket } = req;
    const timer = setTimeout(() => {
      if (!req.complete) socket.destroy();
    }, withinMs);
    timer.unref();
    req.once('close', () => clearTimeout(timer));
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

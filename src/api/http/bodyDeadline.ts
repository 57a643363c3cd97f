import type { IncomingMessage, Server } from 'node:http';

export interface BodyLimits {
  /** Far more than 100 kB take on a poor line. */
  readonly withinMs: number;
  /** How often it is looked whether the body moves. */
  readonly lookMs: number;
  /** What has to come between two looks: a body that trickles only holds its connection. */
  readonly leastBytes: number;
}

const DEFAULT_LIMITS: BodyLimits = { withinMs: 60_000, lookMs: 15_000, leastBytes: 8_000 };

/**
 * Cuts connections whose body does not come. Node's own `requestTimeout` cannot be used: it would end uploads, which
 * take hours and watch over themselves.
 *
 * @param exempt the beginning of paths that take their time
 */
export function boundBodies(server: Server, exempt: string, limits: BodyLimits = DEFAULT_LIMITS): void {
  // Before the application, which rewrites the address while it routes.
  server.prependListener('request', (req) => {
    if (!hasBody(req) || req.url?.startsWith(exempt)) return;
    const { socket } = req;
    const startedAtMs = performance.now();
    let seenBytes = socket.bytesRead;
    const timer = setInterval(() => {
      if (req.complete) {
        clearInterval(timer);
        return;
      }
      const cameBytes = socket.bytesRead - seenBytes;
      seenBytes = socket.bytesRead;
      const isLate = performance.now() - startedAtMs >= limits.withinMs;
      if (isLate || cameBytes < limits.leastBytes) socket.destroy();
    }, limits.lookMs);
    timer.unref();
    req.once('close', () => clearInterval(timer));
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

import type { IncomingMessage, Server } from 'node:http';

export interface BodyLimits {
  /** Far longer than 100 kB take on a slow line. */
  readonly withinMs: number;
  /** How often to check whether the body makes progress. */
  readonly lookMs: number;
  /** Bytes that must arrive between two checks. A body that trickles would only block its connection. */
  readonly leastBytes: number;
}

const DEFAULT_LIMITS: BodyLimits = { withinMs: 60_000, lookMs: 15_000, leastBytes: 8_000 };

/**
 * Cuts connections whose body does not arrive. Node's own `requestTimeout` cannot be used: it would end uploads, which
 * take hours and have their own timeouts.
 *
 * @param exempt prefix of paths without this deadline
 */
export function boundBodies(server: Server, exempt: string, limits: BodyLimits = DEFAULT_LIMITS): void {
  // Runs before the application, which rewrites the URL while it routes.
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

import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

import { errorBody } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { Connections } from './connections.js';

export interface MalformedOptions {
  readonly logger: Logger;
  /** Additional headers of such a response. The path is unknown, so include what any path promises. */
  readonly headers: () => Readonly<Record<string, string | number>>;
}

/** How long a response may take after its request, or the rest of it, turned out not to be HTTP. */
const FINISH_MS = 5_000;

const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The address and headers of a request have at most 16 kB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The request has too many chunk extensions.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};
const NO_HTTP = [400, 'This is not a valid HTTP request.'] as const;

/**
 * Answers what Node refuses before there is a request, in our usual envelope instead of a bare status line. If the body
 * of an earlier request is malformed but not needed, that request is still answered.
 */
export function answerMalformed(server: Server, connections: Connections, options: MalformedOptions): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = connections.newestOpen(socket);
    if (answer && !answer.writableFinished) {
      if (!answer.headersSent) answer.setHeader('Connection', 'close');
      answer.once('finish', () => socket.end());
      setTimeout(() => socket.destroy(), FINISH_MS).unref();
    } else if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else {
      refuse(socket, REFUSALS[error.code ?? ''] ?? NO_HTTP, options);
    }
  });
}

function refuse(socket: Duplex, [status, message]: readonly [number, string], options: MalformedOptions): void {
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody({ code: 'INVALID_PARAMETER', message, status }));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...options.headers(),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // The sender may never close the connection.
  setTimeout(() => socket.destroy(), FINISH_MS).unref();
  options.logger.info({ scope: 'request', requestId, status }, 'malformed request');
}

/**
 * The attackers' process: each connection sends its next request after each response, and reconnects at once when it is
 * closed.
 */
import { connect } from 'node:net';

export interface Flood {
  readonly port: number;
  readonly connections: number;
  /** Complete requests, sent in rotation. */
  readonly requests: readonly string[];
}

/** Sent once, when the service has refused a request because there were too many. */
export const REFUSED = 'refused';

export interface FloodResult {
  readonly answered: number;
  readonly statuses: Readonly<Record<string, number>>;
}

const statuses: Record<string, number> = {};
const TOO_MANY = '429';
let answered = 0;
let isOver = false;

function attack({ port, requests }: Flood, nth: number): void {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let sent = nth;
  const send = (): void => {
    socket.write(requests[sent % requests.length]!);
    sent += 1;
  };
  socket.setEncoding('latin1');
  socket.on('connect', send);
  socket.on('error', () => undefined);
  let missing = 0;
  socket.on('data', (text: string) => {
    if (missing > 0) missing -= text.length;
    else {
      answered += 1;
      const status = text.slice(9, 12);
      if (status === TOO_MANY && !(status in statuses)) process.send!(REFUSED);
      statuses[status] = (statuses[status] ?? 0) + 1;
      const headEnd = text.indexOf('\r\n\r\n');
      missing = headEnd + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0) - text.length;
    }
    if (missing <= 0) send();
  });
  socket.on('close', () => {
    if (!isOver) setImmediate(() => attack({ port, connections: 1, requests }, sent));
  });
}

process.once('disconnect', () => process.exit());
process.on('message', (flood: Flood | 'stop') => {
  if (flood === 'stop') {
    isOver = true;
    process.send!({ answered, statuses } satisfies FloodResult, () => process.exit());
    return;
  }
  for (let nth = 0; nth < flood.connections; nth += 1) attack(flood, nth);
});

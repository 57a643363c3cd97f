import { type DestinationStream, pino, type Logger as PinoLogger, type LoggerOptions } from 'pino';

export type Logger = PinoLogger;

/**
 * Writes JSON lines to standard output. Redacts secrets wherever they appear.
 *
 * @param extras called for each line; returns fields that it gets as well
 */
export function createLogger(level: string, extras?: () => object): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    ...(extras && { mixin: extras }),
    timestamp: timeOfLine,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        'password',
        'token',
        'apiKey',
        'secret',
        '*.password',
        '*.token',
        '*.apiKey',
        '*.secret',
        '*.authorization',
        '*.cookie',
      ],
      censor: '[redacted]',
    },
  };
  destination ??= sharedWrites();
  return pino(options, destination);
}

/** All loggers of a process share it: each has listeners on the process. */
let destination: DestinationStream | undefined;

/** Lines that share a write: those of 20 ms, or this many bytes on a busy process. A pipe takes four of them at once. */
const SHARED_BYTES = 16 * 1024;
const SHARED_MS = 20;
/** The most bytes that UTF-8 takes for one unit of a string. */
const BYTES_PER_UNIT = 3;

interface Output {
  write(bytes: Buffer): boolean;
  flushSync(): void;
}

/**
 * Standard output, many lines at a time: each write wakes another thread, which on a busy process interrupts the one
 * that answers requests. Waiting lines are written when the process exits; only a process that is killed loses its last
 * lines.
 */
function sharedWrites(): DestinationStream {
  let waiting = Buffer.allocUnsafeSlow(SHARED_BYTES);
  let length = 0;
  let isDue = false;
  const write = (): void => {
    if (length === 0) return;
    output.write(waiting.subarray(0, length));
    // The output keeps the bytes until they are written.
    waiting = Buffer.allocUnsafeSlow(SHARED_BYTES);
    length = 0;
  };
  const flushSync = (): void => {
    write();
    output.flushSync();
  };
  // Before the output's own listeners, which end it.
  process.on('beforeExit', write);
  process.on('exit', flushSync);
  // With this mode, it takes bytes, which its types do not say.
  const output = pino.destination({ dest: 1, sync: false, contentMode: 'buffer' }) as unknown as Output;
  const flush = (): void => {
    isDue = false;
    write();
  };
  return {
    write(line) {
      if (line.length * BYTES_PER_UNIT > SHARED_BYTES - length) write();
      if (line.length * BYTES_PER_UNIT > SHARED_BYTES) output.write(Buffer.from(line));
      else length += waiting.write(line, length);
      if (isDue) return;
      isDue = true;
      setTimeout(flush, SHARED_MS).unref();
    },
    // Called for a fatal line.
    flushSync,
  } as DestinationStream;
}

let shownMs = 0;
let shown = '';

/** As pino's own, spelled once per millisecond. */
function timeOfLine(): string {
  const nowMs = Date.now();
  if (nowMs !== shownMs) {
    shownMs = nowMs;
    shown = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return shown;
}

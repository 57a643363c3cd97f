import { type DestinationStream, pino, type Logger as PinoLogger, type LoggerOptions } from 'pino';

export type Logger = PinoLogger;

/** Writes JSON lines to standard output. Redacts secrets wherever they appear. */
export function createLogger(level: string): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
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
  return pino(options, sharedWrites());
}

/** Lines that share a write: those of 20 ms, or this many characters on a busy process. */
const SHARED_LENGTH = 8 * 1024;
const SHARED_MS = 20;

/**
 * Standard output, many lines at a time: handling each line by itself costs a busy process as much as answering the
 * request. Waiting lines are written when the process exits; only a process that is killed loses its last lines.
 */
function sharedWrites(): DestinationStream {
  let waiting = '';
  let isDue = false;
  const write = (): void => {
    if (waiting === '') return;
    const lines = waiting;
    waiting = '';
    output.write(lines);
  };
  const flushSync = (): void => {
    write();
    output.flushSync();
  };
  // Before the output's own listeners, which end it.
  process.on('beforeExit', write);
  process.on('exit', flushSync);
  const output = pino.destination({ dest: 1, sync: false });
  const flush = (): void => {
    isDue = false;
    write();
  };
  return {
    write(line) {
      waiting += line;
      if (waiting.length >= SHARED_LENGTH) write();
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

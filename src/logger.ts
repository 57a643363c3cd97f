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

/** Lines that share a write on a busy process, in bytes; those of a quiet one wait for a moment at most. */
const SHARED_BYTES = 8 * 1024;
const SHARED_MS = 20;

/**
 * Standard output, a few dozen lines at a time: a write of its own for each line costs a busy process as much as answering
 * the request. What is left at an exit is written then; only a process that is killed loses the last moment's lines.
 */
function sharedWrites(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, minLength: SHARED_BYTES });
  let isDue = false;
  const flush = (): void => {
    isDue = false;
    output.flush();
  };
  return {
    write(line) {
      output.write(line);
      if (isDue) return;
      isDue = true;
      setTimeout(flush, SHARED_MS).unref();
    },
    // What a fatal line asks for.
    flushSync: () => output.flushSync(),
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

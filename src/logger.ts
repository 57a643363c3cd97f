import { pino, type Logger as PinoLogger, type LoggerOptions } from 'pino';

export type Logger = PinoLogger;

/** JSON lines on standard output. What could open a door is cut out wherever it appears. */
export function createLogger(level: string): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
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
  // Lines that come while one is being written go out together; what is left at an exit is written then.
  return pino(options, pino.destination({ dest: 1, sync: false }));
}

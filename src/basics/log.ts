// Structured logs: one JSON object a line on standard error, so that standard output stays a command's own answer.
// Secrets are kept out here too, as a second fence: the places that log never hand them over in the first place.
import { destination, pino, type Logger } from 'pino';

export type Log = Logger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export function openLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['password', 'token', 'key', '*.password', '*.token', '*.key', 'headers.authorization', 'headers.cookie'],
        censor: '(kept secret)',
      },
    },
    destination({ dest: 2, sync: false }),
  );
}

// Devices that call and are no account's: gathered in memory and written down now and then, because anyone can call often.
import type { Clock } from './basics/clock.ts';
import type { Log } from './basics/log.ts';
import type { Storage, UnknownDevice } from './storage/storage.ts';

/** Different devices between two writes; more are counted by the metrics only. */
const MOST = 1000;
const EVERY = 2000;

export interface Strangers {
  note(imei: string, protocol: string, address: string): void;
  stop(): Promise<void>;
}

export function createStrangers(storage: Pick<Storage, 'unknownDevices'>, clock: Clock, log: Log): Strangers {
  const seen = new Map<string, Omit<UnknownDevice, 'first_time'>>();
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const batch = [...seen.values()];
    seen.clear();
    if (batch.length > 0)
      writing = writing.then(() =>
        storage.unknownDevices
          .note(batch)
          .catch((error: unknown) => log.warn({ err: error, devices: batch.length }, 'unknown devices could not be noted')),
      );
    return writing;
  }

  return {
    note(imei, protocol, address) {
      const before = seen.get(imei);
      if (before === undefined && seen.size >= MOST) return;
      seen.set(imei, { imei, protocol, address, last_time: clock(), count: (before?.count ?? 0) + 1 });
      timer ??= setTimeout(() => void flush(), EVERY).unref();
    },
    stop: flush,
  };
}

// A simulated tracker: it keeps each fix until the service has acknowledged it, sends in order, and after a failure tries again with growing pauses.
// How fixes travel is the transport's business; what they mean is the vehicle's.
import { setTimeout as pause } from 'node:timers/promises';
import type { Doors } from './doors.ts';
import type { Speech } from './fleet.ts';
import { OsmandTransport } from './osmand-transport.ts';
import { TeltonikaTcpTransport, TeltonikaUdpTransport } from './teltonika-transport.ts';
import type { Fix } from './vehicle.ts';

export interface Transport {
  /** The most fixes that one `send` takes. */
  readonly batch: number;
  /** Resolves once the service has acknowledged them all; rejects when it has not, for whatever reason. */
  send(fixes: readonly Fix[]): Promise<void>;
  /** Ends the connection; a `send` under way rejects. */
  close(): void;
}

/** Fixes that a device has room for, about four days of driving; then the oldest makes room, as in a real one, and is counted as lost. */
const room = 50_000;
const pauses = { least: 500, most: 30_000 };

export class Device {
  readonly #transport: Transport;
  readonly #stopping = new AbortController();
  #waiting: Fix[] = [];
  #sending: Promise<void> | null = null;
  #acknowledged = 0;
  #lost = 0;
  #failure: string | null = null;

  constructor(imei: string, speech: Speech, doors: Doors) {
    this.#transport = openTransport(imei, speech, doors);
  }

  /** Fixes not acknowledged yet, acknowledged, and overwritten before they could be; and why the last try failed, null when it did not. */
  get state(): { waiting: number; acknowledged: number; lost: number; failure: string | null } {
    return { waiting: this.#waiting.length, acknowledged: this.#acknowledged, lost: this.#lost, failure: this.#failure };
  }

  record(fix: Fix): void {
    this.#waiting.push(fix);
    this.#sending ??= this.#run();
  }

  /** Leaves unsent what is. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#transport.close();
    await this.#sending;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let wait = pauses.least;
    // The fixes of one moment are recorded one by one: they travel together.
    await Promise.resolve();
    while (this.#waiting.length > 0 && !signal.aborted) {
      const excess = this.#waiting.length - room;
      if (excess > 0) this.#lost += this.#waiting.splice(0, excess).length;
      const batch = this.#waiting.slice(0, this.#transport.batch);
      try {
        await this.#transport.send(batch);
        this.#waiting = this.#waiting.slice(batch.length);
        this.#acknowledged += batch.length;
        this.#failure = null;
        wait = pauses.least;
      } catch (error) {
        this.#failure = error instanceof Error ? error.message : String(error);
        this.#transport.close();
        // Aborted means that the device is being stopped, which the loop sees.
        await pause(wait * (0.75 + 0.5 * Math.random()), undefined, { signal }).catch(() => undefined);
        wait = Math.min(pauses.most, wait * 2);
      }
    }
    this.#sending = null;
  }
}

function openTransport(imei: string, speech: Speech, doors: Doors): Transport {
  if (speech.protocol === 'osmand') return new OsmandTransport(imei, speech.form, doors.osmandHttp);
  if (speech.transport === 'udp') return new TeltonikaUdpTransport(imei, speech, doors.teltonikaUdp);
  return new TeltonikaTcpTransport(imei, speech, doors.teltonikaTcp);
}

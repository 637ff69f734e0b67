// How a simulated phone reports over HTTP: the query form of OsmAnd, and the JSON form of Traccar Client. One report a request.
import { Agent, request } from 'node:http';
import type { Transport } from './device.ts';
import { parseDoor } from './doors.ts';
import type { Fix } from './vehicle.ts';

const knot = 1852 / 3600;
/** How long an answer is waited for, ms. */
const patience = 30_000;

export class OsmandTransport implements Transport {
  readonly batch = 1;
  readonly #imei: string;
  readonly #form: 'query' | 'json';
  readonly #door: { host: string; port: number };
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(imei: string, form: 'query' | 'json', door: string) {
    this.#imei = imei;
    this.#form = form;
    this.#door = parseDoor(door);
  }

  async send(fixes: readonly Fix[]): Promise<void> {
    for (const fix of fixes) {
      const status = await (this.#form === 'query'
        ? this.#ask('GET', `/?${toQuery(this.#imei, fix)}`)
        : this.#ask('POST', '/', toJson(this.#imei, fix)));
      if (status !== 200) throw new Error(`the service answered ${status}`);
    }
  }

  close(): void {
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 });
  }

  #ask(method: string, path: string, body = ''): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sent = request({ ...this.#door, method, path, headers, agent: this.#agent, timeout: patience }, (response) => {
        response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
        response.resume();
      });
      sent.on('error', reject).on('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.end(body);
    });
  }
}

/** Share of charge, 0 to 1, of a phone's battery. */
function charge(fix: Fix): number {
  return Math.min(1, Math.max(0, (fix.battery - 3.3) / 0.9));
}

function accuracy(fix: Fix): number {
  return Math.round(fix.hdop * 45) / 10;
}

function toQuery(imei: string, fix: Fix): string {
  const values = {
    id: imei,
    timestamp: fix.time / 1000,
    lat: fix.latitude,
    lon: fix.longitude,
    altitude: fix.altitude,
    speed: (fix.speed / knot).toFixed(3),
    bearing: fix.heading,
    accuracy: accuracy(fix),
    hdop: fix.hdop,
    batt: Math.round(100 * charge(fix)),
    ...(fix.panic && { alarm: 'sos' }),
  };
  return new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString();
}

function toJson(imei: string, fix: Fix): string {
  return JSON.stringify({
    device_id: imei,
    location: {
      timestamp: new Date(fix.time).toISOString(),
      coords: {
        latitude: fix.latitude,
        longitude: fix.longitude,
        accuracy: accuracy(fix),
        speed: fix.speed,
        heading: fix.heading,
        altitude: fix.altitude,
      },
      is_moving: fix.moving,
      odometer: fix.odometer,
      event: fix.moving ? 'motionchange' : 'heartbeat',
      battery: { level: Math.round(100 * charge(fix)) / 100, is_charging: fix.ignition },
      activity: { type: fix.moving ? 'in_vehicle' : 'still' },
      extras: fix.panic ? { alarm: 'sos' } : {},
    },
  });
}

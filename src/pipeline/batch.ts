// Reports of many trackers on their way to one commit, as columns of numbers: they cross to the writer's thread as one copy.
// The columns are those of the record of positions.
import { alarmBits } from '../kinds/alarm.ts';
import type { Report } from '../kinds/report.ts';
import { NUMBERS, WIDTH } from '../storage/storage.ts';
import { isCredible } from './judge.ts';

export interface Batch {
  count: number;
  /** Whose report a row is. */
  trackers: Float64Array;
  /** `numbers[row * WIDTH + column]`, NaN for what the device did not send. */
  numbers: Float64Array;
  /** What else it sent, as JSON. */
  attributes: (string | null)[];
}

/** Where a column stands in a row. */
export const COLUMN = Object.fromEntries(NUMBERS.map((name, i) => [name, i])) as Record<(typeof NUMBERS)[number], number>;

/** The columns that identify a report. Alarms are read off its attributes, so they tell no two reports apart; and they came later. */
const DIGESTED = COLUMN.alarms;

export class BatchWriter {
  readonly #trackers: number[] = [];
  readonly #attributes: (string | null)[] = [];
  #numbers = new Float64Array(64 * WIDTH);

  get count(): number {
    return this.#trackers.length;
  }

  /** Adds a report: judged, and with the digest that tells it from another of the same moment. */
  add(trackerId: number, report: Report, received: number): void {
    const at = this.#trackers.length * WIDTH;
    if (at + WIDTH > this.#numbers.length) {
      const larger = new Float64Array(this.#numbers.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    const time = report.time ?? received;
    const attributes = report.attributes === undefined ? null : JSON.stringify(report.attributes);
    const numbers = this.#numbers;
    numbers[at + COLUMN.time] = time;
    numbers[at + COLUMN.latitude] = report.latitude ?? NaN;
    numbers[at + COLUMN.longitude] = report.longitude ?? NaN;
    numbers[at + COLUMN.altitude] = report.altitude ?? NaN;
    numbers[at + COLUMN.speed] = report.speed ?? NaN;
    numbers[at + COLUMN.heading] = report.heading ?? NaN;
    numbers[at + COLUMN.accuracy] = report.accuracy ?? NaN;
    numbers[at + COLUMN.satellites] = report.satellites ?? NaN;
    numbers[at + COLUMN.ignition] = report.ignition === undefined ? NaN : Number(report.ignition);
    numbers[at + COLUMN.motion] = report.motion === undefined ? NaN : Number(report.motion);
    numbers[at + COLUMN.battery] = report.battery ?? NaN;
    numbers[at + COLUMN.battery_level] = report.batteryLevel ?? NaN;
    numbers[at + COLUMN.power] = report.power ?? NaN;
    numbers[at + COLUMN.odometer] = report.odometer ?? NaN;
    numbers[at + COLUMN.alarms] = (report.alarms && alarmBits(report.alarms)) ?? NaN;
    // The device's own word on the fix is part of what it said; when we received it, and what we make of it, is not.
    numbers[at + COLUMN.valid] = Number(report.fixed);
    numbers[at + COLUMN.recv_time] = 0;
    numbers[at + COLUMN.digest] = 0;
    numbers[at + COLUMN.digest] = digest(numbers.subarray(at, at + DIGESTED), attributes);
    numbers[at + COLUMN.recv_time] = received;
    numbers[at + COLUMN.valid] = Number(isCredible(report, time, received));
    this.#trackers.push(trackerId);
    this.#attributes.push(attributes);
  }

  finish(): Batch {
    const count = this.#trackers.length;
    return {
      count,
      trackers: Float64Array.from(this.#trackers),
      numbers: this.#numbers.slice(0, count * WIDTH),
      attributes: this.#attributes,
    };
  }
}

/** 53 bits over a row and its attributes: two multiply-and-rotate lanes (as in MurmurHash3), joined. The same on every machine. */
function digest(row: Float64Array, attributes: string | null): number {
  const words = new Int32Array(row.buffer, row.byteOffset, row.length * 2);
  let a = 0x9747b28c;
  let b = 0x1b873593;
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number;
    a = Math.imul(((a ^ word) << 13) | ((a ^ word) >>> 19), 0x85ebca6b);
    b = Math.imul((b + word) ^ (b >>> 15), 0xc2b2ae35);
  }
  for (let i = 0; attributes !== null && i < attributes.length; i++) {
    const code = attributes.charCodeAt(i);
    a = Math.imul(((a ^ code) << 5) | ((a ^ code) >>> 27), 0x85ebca6b);
    b = Math.imul((b + code) ^ (b >>> 15), 0xc2b2ae35);
  }
  a = Math.imul(a ^ (a >>> 16) ^ b, 0xcc9e2d51);
  b = Math.imul(b ^ (b >>> 13) ^ a, 0xe6546b64);
  return ((a ^ (a >>> 15)) & 0x1fffff) * 0x1_0000_0000 + ((b ^ (b >>> 16)) >>> 0);
}

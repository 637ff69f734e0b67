// Sets the fleet in motion: each vehicle's device first delivers what it recorded before now, then goes on as time does.
import { setImmediate as breathe } from 'node:timers/promises';
import type { Clock } from '../../basics/clock.ts';
import { Device } from './device.ts';
import type { Doors } from './doors.ts';
import type { Member } from './fleet.ts';
import { Recorder } from './vehicle.ts';

export interface Simulation {
  /** Sums over all devices; `failures` by IMEI, for those whose last try failed. */
  state(): { waiting: number; acknowledged: number; lost: number; failures: Map<string, string> };
  stop(): Promise<void>;
}

/** `from`: the start of the fleet's records, ms since 1970 UTC, at or after its own start. */
export function startSimulation(fleet: readonly Member[], doors: Doors, from: number, clock: Clock): Simulation {
  const devices = fleet.map(({ imei, speech, vehicle }) => ({
    imei,
    recorder: new Recorder(vehicle, from),
    device: new Device(imei, speech, doors),
  }));
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const tick = async (): Promise<void> => {
    for (const { recorder, device } of devices) {
      if (isStopped) return;
      for (const fix of recorder.until(clock())) device.record(fix);
      // Hours of history take a while to work out: others on this thread go in between.
      await breathe();
    }
    timer = setTimeout(() => {
      ticking = tick();
    }, 1000);
    if (isStopped) clearTimeout(timer);
  };
  let ticking = tick();
  return {
    state: () => {
      const sums = { waiting: 0, acknowledged: 0, lost: 0, failures: new Map<string, string>() };
      for (const { imei, device } of devices) {
        const { waiting, acknowledged, lost, failure } = device.state;
        sums.waiting += waiting;
        sums.acknowledged += acknowledged;
        sums.lost += lost;
        if (failure !== null) sums.failures.set(imei, failure);
      }
      return sums;
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await ticking;
      await Promise.all(devices.map(({ device }) => device.stop()));
    },
  };
}

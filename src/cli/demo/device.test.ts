import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { openLog } from '../../basics/log.ts';
import { listenHttp } from '../../intake/http.ts';
import type { House } from '../../intake/intake.ts';
import { createIntakeMetrics } from '../../intake/metrics.ts';
import { listenTcp } from '../../intake/tcp.ts';
import { listenUdp } from '../../intake/udp.ts';
import type { Report } from '../../kinds/report.ts';
import { osmand } from '../../protocols/osmand/osmand.ts';
import { teltonika } from '../../protocols/teltonika/teltonika.ts';
import { Device } from './device.ts';
import type { Doors } from './doors.ts';
import { createFleet, createWorld } from './fleet.ts';
import { startSimulation } from './simulation.ts';

/** Opens a door of each protocol to the house. */
async function openDoors(house: House): Promise<{ doors: Doors; stop: () => Promise<unknown> }> {
  const options = { log: openLog('silent'), metrics: createIntakeMetrics(new Registry()) };
  const anyPort = { host: '127.0.0.1', port: 0 };
  const listeners = await Promise.all([
    listenTcp({ ...teltonika, tcp: teltonika.tcp ?? assert.fail() }, anyPort, house, options),
    listenUdp({ ...teltonika, udp: teltonika.udp ?? assert.fail() }, anyPort, house, options),
    listenHttp({ ...osmand, http: osmand.http ?? assert.fail() }, anyPort, house, options),
  ]);
  const [tcp, udp, http] = listeners;
  return {
    doors: { teltonikaTcp: tcp.address, teltonikaUdp: udp.address, osmandHttp: http.address },
    stop: () => Promise.all(listeners.map((listener) => listener.stop())),
  };
}

test('the whole fleet delivers its history over real sockets, and again what was not acknowledged', async () => {
  const now = Date.UTC(2026, 5, 1, 12);
  const from = now - 20 * 60_000;
  const fleet = createFleet(createWorld(1), 1, from);
  const received = new Map<string, Map<number, Report>>(fleet.map(({ imei }) => [imei, new Map<number, Report>()]));
  const failures = new Map<string, number>();
  const house: House = {
    find: async (imei) => (received.has(imei) ? { id: 1, imei } : null),
    accept: async ({ imei }, reports) => {
      // The first commit of every device fails: nothing of it may be lost.
      const tries = failures.get(imei) ?? 0;
      failures.set(imei, tries + 1);
      if (tries === 0) throw new Error('the disk is full');
      for (const report of reports) received.get(imei)?.set(report.time ?? 0, report);
      return 'committed';
    },
    unknown: (imei) => assert.fail(`unknown ${imei}`),
  };
  const { doors, stop } = await openDoors(house);
  const simulation = startSimulation(fleet, doors, from, () => now);
  const isDone = (): boolean => {
    const { waiting, acknowledged } = simulation.state();
    return acknowledged > 0 && waiting === 0;
  };
  try {
    for (let waited = 0; !(await pause(50).then(isDone)); waited += 50)
      assert.ok(waited < 20_000, JSON.stringify([...simulation.state().failures]));
  } finally {
    await simulation.stop();
    await stop();
  }

  const again = createFleet(createWorld(1), 1, from);
  let sum = 0;
  for (const { imei, name, vehicle } of again) {
    const reports = received.get(imei) ?? assert.fail();
    sum += reports.size;
    assert.ok(reports.size > 10, `${name}: ${reports.size}`);
    for (const [time, report] of reports) {
      const fix = vehicle.state(time);
      assert.ok(report.fixed);
      assert.ok(Math.abs((report.latitude ?? 0) - fix.latitude) < 1e-6 && Math.abs((report.longitude ?? 0) - fix.longitude) < 1e-6, name);
      assert.ok(Math.abs((report.speed ?? -1) - fix.speed) < 0.2, `${name}: ${report.speed} for ${fix.speed}`);
    }
  }
  assert.equal(simulation.state().acknowledged, sum);
  assert.equal(simulation.state().lost, 0);
});

test('a pressed panic button comes through, whatever the device speaks', async () => {
  const now = Date.UTC(2026, 5, 1, 12);
  const fleet = createFleet(createWorld(1), 1, now);
  const alarms = new Map<string, Report['alarms']>();
  const { doors, stop } = await openDoors({
    find: async (imei) => ({ id: 1, imei }),
    accept: async ({ imei }, [report]) => {
      alarms.set(imei, report?.alarms);
      return 'committed';
    },
    unknown: () => undefined,
  });
  const devices = fleet.map(({ imei, speech }) => new Device(imei, speech, doors));
  try {
    for (const [i, device] of devices.entries()) {
      const fix = fleet[i]?.vehicle.state(now) ?? assert.fail();
      device.record({ ...fix, panic: true });
    }
    for (let waited = 0; devices.some(({ state }) => state.waiting > 0); waited += 20) {
      assert.ok(waited < 10_000, JSON.stringify(devices.map(({ state }) => state)));
      await pause(20);
    }
  } finally {
    await Promise.all(devices.map((device) => device.stop()));
    await stop();
  }
  for (const { imei, name, model } of fleet) assert.deepEqual(alarms.get(imei), ['panic'], `${name}, ${model}`);
});

// The settings of derivation in the units of the inside, as the pipeline takes them.
import type { Deriving } from './pipeline/commit.ts';
import type { derivationSettings, Values } from './settings.ts';

export const derivingOf = (settings: Values<typeof derivationSettings>): Deriving => ({
  thresholds: {
    tripSource: settings.tripSource,
    stopTime: settings.stopTime * 1000,
    idleLimit: settings.idleLimit * 1000,
    stopRadius: settings.stopRadius,
    tripDistance: settings.tripDistance,
    gapTime: settings.gapTime * 1000,
    jumpSpeed: settings.jumpSpeed / 3.6,
    overspeedTime: settings.overspeedTime * 1000,
    zoneMargin: settings.zoneMargin,
    zoneDwell: settings.zoneDwell * 1000,
    batteryLow: settings.batteryLow,
  },
  telling: { lateAfter: settings.lateAfter * 1000, lateAlarms: settings.lateAlarms, lateRoutine: settings.lateRoutine },
});

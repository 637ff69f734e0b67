// The types of events, each once: its number, its words, and whether it is an alarm, which is told even when it comes late.

export const EVENT = {
  panic: 1,
  batteryDisconnected: 2,
  batteryLow: 3,
  ignitionOn: 4,
  ignitionOff: 5,
  tripStart: 6,
  tripEnd: 7,
  overspeed: 8,
  towed: 9,
  offline: 10,
  online: 11,
  zoneCrossing: 12,
} as const;

export type EventType = (typeof EVENT)[keyof typeof EVENT];

export interface EventTypeRow {
  id: EventType;
  name: string;
  description: string;
  /** Worth telling hours later, marked as late. */
  alarm: boolean;
}

export const EVENT_TYPES: readonly EventTypeRow[] = [
  { id: EVENT.panic, name: 'panic button', description: 'Somebody pressed the panic button of the device.', alarm: true },
  {
    id: EVENT.batteryDisconnected,
    name: 'battery disconnected',
    description: "The device lost its supply, such as the vehicle's battery.",
    alarm: true,
  },
  { id: EVENT.batteryLow, name: 'battery low', description: 'The battery of the device runs low.', alarm: true },
  { id: EVENT.ignitionOn, name: 'ignition on', description: 'The ignition was turned on.', alarm: false },
  { id: EVENT.ignitionOff, name: 'ignition off', description: 'The ignition was turned off.', alarm: false },
  { id: EVENT.tripStart, name: 'trip start', description: 'A trip began.', alarm: false },
  { id: EVENT.tripEnd, name: 'trip end', description: 'A trip ended.', alarm: false },
  { id: EVENT.overspeed, name: 'overspeed', description: 'The vehicle was faster than a notification allows, for a while.', alarm: true },
  { id: EVENT.towed, name: 'towed', description: 'The vehicle moves with the ignition off.', alarm: true },
  { id: EVENT.offline, name: 'offline', description: 'Nothing was heard of the device for too long.', alarm: true },
  { id: EVENT.online, name: 'online', description: 'The device was heard again.', alarm: false },
  { id: EVENT.zoneCrossing, name: 'zone crossing', description: 'The tracker entered or left a zone.', alarm: false },
];

export const eventType = (id: number): EventTypeRow | undefined => EVENT_TYPES.find((type) => type.id === id);

// Who drives in the demo: 25 vehicles with their names, IMEIs, device models and habits. Knows nothing of sockets.
import { checkDigit } from '../../basics/imei.ts';
import { buildNetwork, type Network } from './network.ts';
import { distance, type Point } from './plane.ts';
import { drawPlan } from './plan.ts';
import { pick, seededRandom, type Random } from './random.ts';
import { Vehicle, type Role } from './vehicle.ts';

/** How a device talks: the protocol, its transport, and for Teltonika the codec and the largest packet that the model sends, bytes. */
export type Speech =
  | { protocol: 'teltonika'; transport: 'tcp' | 'udp'; codec: 0x08 | 0x8e | 0x10; packet: number }
  | { protocol: 'osmand'; form: 'query' | 'json' };

export interface Member {
  readonly name: string;
  readonly imei: string;
  readonly model: string;
  readonly speech: Speech;
  readonly vehicle: Vehicle;
}

const models: Readonly<Record<string, Speech>> = {
  FMB920: { protocol: 'teltonika', transport: 'tcp', codec: 0x08, packet: 1280 },
  FMC130: { protocol: 'teltonika', transport: 'tcp', codec: 0x8e, packet: 1280 },
  FMB640: { protocol: 'teltonika', transport: 'tcp', codec: 0x10, packet: 512 },
  FMB120: { protocol: 'teltonika', transport: 'udp', codec: 0x08, packet: 1280 },
  FMC125: { protocol: 'teltonika', transport: 'udp', codec: 0x8e, packet: 1280 },
  'Traccar Client': { protocol: 'osmand', form: 'json' },
  OsmAnd: { protocol: 'osmand', form: 'query' },
};

const roster: readonly (readonly [name: string, model: string, role: RoleName])[] = [
  ...['FMB920', 'FMC130', 'FMB920', 'FMC130', 'FMB120', 'FMB920', 'FMC130', 'Traccar Client', 'FMC125', 'FMB920'].map(
    (model, i) => [`Van ${i + 1}`, model, 'van'] as const,
  ),
  ...['FMC130', 'FMB920', 'Traccar Client', 'OsmAnd', 'FMC130'].map((model, i) => [`Service car ${i + 1}`, model, 'car'] as const),
  ...['FMB120', 'Traccar Client', 'OsmAnd', 'FMC130'].map((model, i) => [`Taxi ${i + 1}`, model, 'taxi'] as const),
  ['Bus 12', 'FMB920', 'bus'],
  ['Bus 14', 'FMC125', 'bus'],
  ...['FMB640', 'FMB640', 'FMB640', 'Traccar Client'].map((model, i) => [`Truck ${i + 1}`, model, 'truck'] as const),
];

type RoleName = 'van' | 'car' | 'taxi' | 'bus' | 'truck';

/**
 * A made-up IMEI with a right check digit. Its type allocation code begins with 00, the reporting body identifier that GSMA TS.06 keeps for test
 * equipment, so it never is that of a device on the market.
 */
function testImei(serial: number): string {
  const digits = `00100100${String(serial).padStart(6, '0')}`;
  return `${digits}${checkDigit(digits)}`;
}

/** The world that the demo's vehicles share; takes about a third of a second. */
export function createWorld(seed: number): Network {
  return buildNetwork(drawPlan(seed), seed);
}

/** 25 vehicles that live from `start` (ms since 1970 UTC) on. The same seed and start give the same fleet and the same journeys. */
export function createFleet(network: Network, seed: number, start: number): Member[] {
  const random = seededRandom(seed ^ 0xf1ee7);
  return roster.map(([name, model, roleName], i) => {
    const speech = models[model];
    if (speech === undefined) throw new RangeError(`no such model: ${model}`);
    const { role, home } = assign(roleName, network, random);
    return { name, imei: testImei(i + 1), model, speech, vehicle: new Vehicle(network, role, home, seed * 1009 + i * 7919, start) };
  });
}

const cityCentre = { x: 0, y: 0 };
const neighbourCentre = { x: 15_800, y: -2500 };

function assign(name: RoleName, network: Network, random: Random): { role: Role; home: number } {
  const within = (centre: Point, least: number, most: number): number[] =>
    network.places.filter((node) => {
      const at = network.nodes[node];
      return at !== undefined && distance(at, centre) >= least && distance(at, centre) <= most;
    });
  const city = within(cityCentre, 0, 3200);
  const anywhere = network.places;
  const home = pick(random, city);
  const brisk = 0.86 + 0.1 * random();
  switch (name) {
    case 'van':
      // Round by round through the town: each next place is among the nearest of a few.
      return {
        home,
        role: {
          style: { topSpeed: 30, acceleration: 1.5, braking: 1.9, briskness: brisk },
          stay: [100, 480],
          next: (dice, here) => nearer(network, here, [pick(dice, city), pick(dice, city), pick(dice, city)]),
        },
      };
    case 'car':
      return {
        home,
        role: {
          style: { topSpeed: 33, acceleration: 1.9, braking: 2.2, briskness: brisk },
          stay: [300, 2700],
          next: (dice) => pick(dice, dice() < 0.35 ? anywhere : city),
        },
      };
    case 'taxi':
      return {
        home,
        role: {
          style: { topSpeed: 32, acceleration: 2.1, braking: 2.4, briskness: 0.97 },
          stay: [40, 600],
          next: (dice) => pick(dice, city),
        },
      };
    case 'bus': {
      const outer = within(cityCentre, 1800, 3200);
      const first = pick(random, outer);
      const line = [first, pick(random, within(cityCentre, 0, 900)), farthest(network, first, outer)];
      const stops = [...line, ...line.slice(1, -1).toReversed()];
      let at = 0;
      return {
        home: first,
        role: {
          style: { topSpeed: 20, acceleration: 1.1, braking: 1.3, briskness: 0.88, haltEvery: 420 },
          stay: [60, 260],
          next: () => stops[(at = (at + 1) % stops.length)] ?? first,
        },
      };
    }
    case 'truck': {
      const neighbour = within(neighbourCentre, 0, 1100);
      return {
        home,
        role: {
          style: { topSpeed: 85 / 3.6, acceleration: 0.8, braking: 1.3, briskness: 0.92 },
          stay: [420, 1500],
          next: (dice, here) => pick(dice, neighbour.includes(here) ? city : neighbour),
        },
      };
    }
  }
}

function nearer(network: Network, here: number, nodes: readonly number[]): number {
  return byDistance(network, here, nodes)[0] ?? here;
}

function farthest(network: Network, here: number, nodes: readonly number[]): number {
  return byDistance(network, here, nodes).at(-1) ?? here;
}

function byDistance(network: Network, here: number, nodes: readonly number[]): number[] {
  const from = network.nodes[here];
  const metres = (node: number): number => {
    const at = network.nodes[node];
    return from === undefined || at === undefined ? Infinity : distance(from, at);
  };
  return nodes.toSorted((a, b) => metres(a) - metres(b));
}

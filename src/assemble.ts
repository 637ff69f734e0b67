// Builds and connects everything, in the order in which it starts; stopping goes the other way: no new devices or requests,
// what has arrived is committed and acknowledged, then the storage closes.
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { createAuth } from './api/auth/auth.ts';
import { createSigningSecrets } from './api/auth/signing-secret.ts';
import { openSecretBox } from './api/auth/secret-box.ts';
import { DEFAULT_THROTTLE } from './api/auth/throttle.ts';
import type { Measure } from './api/send.ts';
import { createServer } from './api/server.ts';
import { systemClock } from './basics/clock.ts';
import type { Log } from './basics/log.ts';
import { listenHttp } from './intake/http.ts';
import { formatAddress, type House, type Limits, type Listener } from './intake/intake.ts';
import { createIntakeMetrics } from './intake/metrics.ts';
import { listenTcp } from './intake/tcp.ts';
import { listenUdp } from './intake/udp.ts';
import { derivingOf } from './deriving.ts';
import { createHub } from './live/hub.ts';
import { channelSettingsOf } from './messaging.ts';
import { startMonitor } from './monitor.ts';
import type { Channels } from './notify/channels/channel.ts';
import { createCourier } from './notify/courier.ts';
import { operations } from './operations.ts';
import { createAcceptance } from './pipeline/accept.ts';
import { protocols } from './protocols/protocols.ts';
import type { ServeSettings } from './settings.ts';
import { holdAlone, openStorage } from './storage/open.ts';
import { createStrangers } from './strangers.ts';
import { startUpkeep } from './upkeep.ts';
import { startWatch } from './watch.ts';

/** Where everything listens; what `serve --json` prints. */
export interface Listening {
  event: 'listening';
  http?: string;
  /** By protocol and transport, such as `teltonika`, `tcp`. */
  protocols: Record<string, Record<string, string>>;
  metrics?: string;
}

export interface Service {
  readonly listening: Listening;
  /** Drains and stops. */
  stop(): Promise<void>;
}

/** How long answers under way may take once the service stops, ms. */
const STOP_TIMEOUT = 10_000;

/** How often silent trackers and records that wait to be derived are looked for, ms. */
const WATCH_EVERY = 2000;

const ZONES_AT_ONCE = 1000;

/** Reports that may wait for a commit: some seconds of a fast disk. */
const WAITING_ROWS = 200_000;

/** The children of a histogram are looked up once for each address, method and status. */
function measureBy(histogram: Histogram): Measure {
  const children = new Map<string, Histogram.Internal<string>>();
  return (route, method, status, seconds) => {
    const key = `${method} ${status} ${route}`;
    let child = children.get(key);
    if (child === undefined) children.set(key, (child = histogram.labels(route, method, String(status))));
    child.observe(seconds);
  };
}

/** Mail and HTTP clients are a quarter of what there is to load: the first message waits for them, not the start. */
function loadedWhenUsed(load: () => Promise<Channels>): Channels {
  let loading: Promise<Channels> | null = null;
  const channel =
    (type: keyof Channels): Channels[typeof type] =>
    async (outgoing, signal) =>
      (await (loading ??= load()))[type](outgoing, signal);
  return { email: channel('email'), http: channel('http'), sms: channel('sms') };
}

export async function startService(settings: ServeSettings, version: string, log: Log): Promise<Service> {
  const clock = systemClock;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];

  const messaging = channelSettingsOf(settings);
  const letGo = holdAlone(settings.data);
  const box = openSecretBox(settings.secretKeyFile);
  const module = new URL(import.meta.url.endsWith('.ts') ? './operations.ts' : './operations.js', import.meta.url);
  const { storage, close } = await openStorage(settings.data, operations, module);

  // Zones from before there was an index of them; at any later start there are none.
  while ((await storage.zones.indexMissing(ZONES_AT_ONCE)) > 0);

  // Messages, from the outbox to their targets.
  const signingSecrets = createSigningSecrets(storage, box);
  const channels = loadedWhenUsed(async () => {
    const { createChannels } = await import('./notify/channels/channels.ts');
    return createChannels({ settings: messaging, secretOf: signingSecrets.of, clock, version });
  });
  const courier = createCourier({ storage, channels, clock, log, registry });

  // The path of a position.
  const plan = derivingOf(settings);
  const deriving = settings.derivation === 'on' ? plan : null;
  const hub = createHub();
  const commits = new Histogram({
    name: 'waypost_commit_seconds',
    help: 'Time from handing reports to the writer to their commit',
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3],
    registers,
  });
  const stored = new Counter({ name: 'waypost_positions_stored_total', help: 'Positions that were not stored before', registers });
  const found = new Counter({ name: 'waypost_events_total', help: 'Events found: trips, crossings, alarms and the like', registers });
  const repeated = new Counter({ name: 'waypost_positions_repeated_total', help: 'Reports that were stored already', registers });
  const behind = new Gauge({
    name: 'waypost_trackers_behind',
    help: 'Trackers whose record waits to be derived, as far as they were counted (1000)',
    registers,
  });
  const watchers: Gauge = new Gauge({
    name: 'waypost_live_watchers',
    help: 'Open live streams',
    collect: () => watchers.set(hub.watchers),
    registers,
  });
  const acceptance = createAcceptance({
    commit: (batch) => storage.pipeline.commit(batch, deriving, plan.telling),
    clock,
    commitRows: settings.commitRows,
    waitingRows: WAITING_ROWS,
    committed({ inserted, accounts, targets, events }, rows, seconds) {
      commits.observe(seconds);
      stored.inc(inserted);
      repeated.inc(rows - inserted);
      found.inc(events);
      hub.announce(accounts);
      courier.wake(targets);
    },
  });

  // The path of a request.
  const stopping = new AbortController();
  const isReady = async (): Promise<boolean> => !stopping.signal.aborted && (await storage.trackers.byImei('').then(() => true, () => false)); // prettier-ignore
  const auth = createAuth({
    storage,
    box,
    clock,
    log,
    throttle: DEFAULT_THROTTLE,
    publicUrl: settings.publicUrl === null ? null : new URL(settings.publicUrl),
  });
  const requests = new Histogram({
    name: 'waypost_http_request_seconds',
    help: 'Time from a request to the end of its answer',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers,
  });
  const server = createServer({
    storage,
    acceptance,
    auth,
    signingSecrets,
    wake: courier.wake,
    hub,
    clock,
    log,
    version,
    isReady,
    measure: measureBy(requests),
    stopping: stopping.signal,
    options: {
      registrationOpen: settings.registration === 'open',
      bodyLimit: settings.bodyLimit,
      maxPage: settings.maxPage,
      cooldown: settings.cooldown,
      trustProxy: settings.trustProxy,
    },
  });

  // The doors, last of all.
  const strangers = createStrangers(storage, clock, log);
  const house: House = {
    find: async (imei) => (await storage.trackers.byImei(imei)) ?? null,
    accept: ({ id }, reports) => acceptance.accept(id, reports),
    unknown: strangers.note,
  };
  const limits: Partial<Limits> = {
    loginTimeout: settings.loginTimeout * 1000,
    idleTimeout: settings.idleTimeout * 1000,
    maxConnections: settings.maxConnections,
    maxConnectionsPerAddress: settings.maxConnectionsPerAddress,
  };
  const options = { log, metrics: createIntakeMetrics(registry), limits };
  const listening: Listening = { event: 'listening', protocols: {} };
  const listeners: Listener[] = [];
  const upkeep = startUpkeep(
    storage,
    { every: settings.retentionInterval * 1000, keepDeliveries: settings.deliveryRetention * 86_400_000 },
    clock,
    log,
  );
  const watch = startWatch(
    storage,
    {
      deriving,
      telling: plan.telling,
      offlineAfter: settings.offlineAfter * 1000,
      every: WATCH_EVERY,
      waiting: (trackers) => behind.set(trackers),
      announce(accounts, targets) {
        hub.announce(accounts);
        courier.wake(targets);
      },
    },
    clock,
    log,
  );
  courier.start();
  let monitor: Awaited<ReturnType<typeof startMonitor>> | null = null;

  async function stop(): Promise<void> {
    stopping.abort();
    // Answers under way are finished, but nobody holds up the end by reading slowly.
    const deadline = setTimeout(() => server.server.closeAllConnections(), STOP_TIMEOUT).unref();
    await Promise.all([...listeners.map((listener) => listener.stop()), server.close()]);
    clearTimeout(deadline);
    await acceptance.settled();
    await Promise.all([upkeep.stop(), watch.stop(), courier.stop(), strangers.stop(), auth.stop()]);
    await monitor?.stop();
    await close();
    letGo();
  }

  try {
    if (settings.metricsPort !== 'off') {
      monitor = await startMonitor({ host: settings.metricsHost, port: settings.metricsPort }, registry, isReady);
      listening.metrics = monitor.address;
    }
    for (const { name, tcp, udp, http } of protocols) {
      const port = settings[`${name}Port`] ?? 'off';
      if (port === 'off') continue;
      const places: Record<string, string> = {};
      let endpoint = { host: settings.deviceHost, port };
      const open = async (transport: string, opening: Promise<Listener>): Promise<void> => {
        const listener = await opening;
        listeners.push(listener);
        places[transport] = transport === 'http' ? `http://${listener.address}` : listener.address;
        // A protocol's transports share one port, also where any free one was asked for.
        endpoint = { ...endpoint, port: Number(listener.address.slice(listener.address.lastIndexOf(':') + 1)) };
      };
      if (tcp !== undefined) await open('tcp', listenTcp({ name, tcp }, endpoint, house, options));
      if (udp !== undefined) await open('udp', listenUdp({ name, udp }, endpoint, house, options));
      if (http !== undefined) await open('http', listenHttp({ name, http }, endpoint, house, options));
      listening.protocols[name] = places;
    }
    if (settings.port !== 'off') {
      await server.listen({ host: settings.host, port: settings.port });
      const { address, port } = server.server.address() as AddressInfo;
      listening.http = `http://${formatAddress(address, port)}`;
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { listening, stop };
}

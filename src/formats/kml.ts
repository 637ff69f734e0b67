// KML 2.2 (OGC 07-147r2) with Google's track extension (developers.google.com/kml/documentation/kmlreference#gxtrack): positions as a
// track, trips as one each, zones as shapes. Positions that are not valid are left out: a track has no word for them. At the 180th meridian
// a new track begins, so that no line is drawn around the world.
import type { Position } from '../kinds/position.ts';
import type { Trip } from '../kinds/trip.ts';
import type { Zone } from '../kinds/zone.ts';
import { escapeXml } from './escape.ts';
import { isTrip, listOf, type StreamFormat, type StreamWriter } from './format.ts';
import { isZone } from './geojson.ts';
import { isoTime } from './gpx.ts';
import { cutAtMeridian, outlineOf, type Place } from './outline.ts';

const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">\n';

/** Carries lists of positions, trips, zones and lists of the two. */
export const kml: StreamFormat = {
  name: 'kml',
  mediaType: 'application/vnd.google-earth.kml+xml; charset=utf-8',
  extension: 'kml',
  carries: (kind) => listOf(kind)?.name === 'positions' || isTrip(kind) || isZone(kind),
  open: ({ kind, title }) =>
    kind !== null && isZone(kind) ? zoneWriter(title) : kind !== null && isTrip(kind) ? tripWriter(title) : trackWriter(title),
};

/** All times of a gx:Track come before all its places, so a long track is written as tracks of this many positions, which join up. */
const TRACK_LENGTH = 500;

const trackHead = (title: string): string =>
  `${HEAD}<Document><name>${escapeXml(title)}</name>\n` +
  '<Style id="track"><LineStyle><color>ffd06a1f</color><width>4</width></LineStyle></Style>\n' +
  '<Schema id="sensed"><gx:SimpleArrayField name="speed" type="float"><displayName>Speed (km/h)</displayName></gx:SimpleArrayField></Schema>\n';
const TRACKS = '<gx:MultiTrack><gx:interpolate>1</gx:interpolate>\n';
const TRACKS_END = '</gx:MultiTrack>\n</Placemark>\n';

function trackWriter(title: string): StreamWriter {
  const tracks = createTracks();
  return {
    head: () => `${trackHead(title)}<Placemark><name>${escapeXml(title)}</name><styleUrl>#track</styleUrl>\n${TRACKS}`,
    item: tracks.add,
    foot: () => `${tracks.end()}${TRACKS_END}</Document>\n</kml>\n`,
  };
}

function tripWriter(title: string): StreamWriter {
  let tracks: ReturnType<typeof createTracks> | null = null;
  const end = (): string => (tracks === null ? '' : tracks.end() + TRACKS_END);
  return {
    head: () => trackHead(title),
    item(object) {
      const text = end() + tripHead(object as unknown as Trip);
      tracks = createTracks();
      return text;
    },
    position: (position) => tracks?.add(position) ?? '',
    foot: () => `${end()}</Document>\n</kml>\n`,
  };
}

function tripHead({ start_ts, end_ts, note, purpose, driver, drive_t, drive_dist, idle_t }: Trip): string {
  const said = { drive_t, drive_dist, idle_t, purpose, driver: driver?.name ?? null };
  const data = Object.entries(said)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `<Data name="${name}"><value>${escapeXml(String(value))}</value></Data>`);
  return (
    `<Placemark><name>${isoTime(start_ts)}</name>` +
    (note === null ? '' : `<description>${escapeXml(note)}</description>`) +
    `<TimeSpan><begin>${isoTime(start_ts)}</begin>${end_ts === null ? '' : `<end>${isoTime(end_ts)}</end>`}</TimeSpan>` +
    `<styleUrl>#track</styleUrl><ExtendedData>${data.join('')}</ExtendedData>\n${TRACKS}`
  );
}

/** Writes positions as tracks, each when it is complete. */
function createTracks(): { add(position: Readonly<Record<string, unknown>>): string; end(): string } {
  let held: Position[] = [];
  let joined = false;
  function end(): string {
    const text = held.length > (joined ? 1 : 0) ? track(held) : '';
    held = [];
    joined = false;
    return text;
  }
  return {
    add(object) {
      if (object['valid'] === false) return '';
      const position = object as unknown as Position;
      const last = held.at(-1);
      let text = last !== undefined && Math.abs(position.longitude - last.longitude) > 180 ? end() : '';
      held.push(position);
      if (held.length < TRACK_LENGTH) return text;
      // The last of one track is the first of the next, so that the line does not depend on how a reader joins them.
      text += track(held);
      held = held.slice(-1);
      joined = true;
      return text;
    },
    end,
  };
}

function track(positions: readonly Position[]): string {
  let [times, places, speeds] = ['', '', ''];
  for (const { ts, latitude, longitude, altitude, speed } of positions) {
    times += `<when>${isoTime(ts)}</when>\n`;
    places += `<gx:coord>${longitude} ${latitude} ${altitude ?? 0}</gx:coord>\n`;
    speeds += `<gx:value>${speed ?? ''}</gx:value>\n`;
  }
  const sensed = `<ExtendedData><SchemaData schemaUrl="#sensed"><gx:SimpleArrayData name="speed">\n${speeds}</gx:SimpleArrayData></SchemaData></ExtendedData>`;
  return `<gx:Track>\n${times}${places}${sensed}</gx:Track>\n`;
}

function zoneWriter(title: string): StreamWriter {
  return {
    head: () => `${HEAD}<Document><name>${escapeXml(title)}</name>\n`,
    item: (zone) => placemark(zone as unknown as Zone),
    foot: () => '</Document>\n</kml>\n',
  };
}

/** A circle is a ring of 64 corners, a corridor its middle line; what crosses the 180th meridian is in pieces. */
function placemark({ name, type, points, radius, color }: Zone): string {
  const outline = outlineOf({ type, points, radius });
  const pieces = cutAtMeridian(outline).map(outline.type === 'ring' ? polygon : line);
  const style = `<Style><LineStyle><color>ff${bgr(color)}</color><width>3</width></LineStyle><PolyStyle><color>55${bgr(color)}</color></PolyStyle></Style>`;
  const geometry = pieces.length === 1 ? pieces.join('') : `<MultiGeometry>${pieces.join('')}</MultiGeometry>`;
  const reach = radius === null ? '' : `<Data name="radius"><displayName>Radius (m)</displayName><value>${radius}</value></Data>`;
  const data = `<ExtendedData><Data name="type"><value>${escapeXml(type)}</value></Data>${reach}</ExtendedData>`;
  return `<Placemark><name>${escapeXml(name)}</name>${style}${data}${geometry}</Placemark>\n`;
}

const polygon = (ring: Place[]): string =>
  `<Polygon><outerBoundaryIs><LinearRing>${tuples([...ring, ...ring.slice(0, 1)])}</LinearRing></outerBoundaryIs></Polygon>`;
const line = (places: Place[]): string => `<LineString><tessellate>1</tessellate>${tuples(places)}</LineString>`;
const tuples = (places: Place[]): string => `<coordinates>${places.map(([x, y]) => `${x},${y}`).join(' ')}</coordinates>`;

/** KML writes colours backwards. */
function bgr(color: string | null): string {
  const [, r, g, b] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(color?.toLowerCase() ?? '#1f6ad0') ?? [];
  return `${b}${g}${r}`;
}

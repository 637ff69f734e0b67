// GPX 1.1 (topografix.com/GPX/1/1): positions as one track, trips as one each. Positions that are not valid are left out: a track has no
// word for them. At the 180th meridian a new segment begins, so that no line is drawn around the world.
// Speed and heading go into Garmin's TrackPointExtension v2 (garmin.com/xmlschemas/TrackPointExtensionv2.xsd), in m/s and degrees.
import { escapeXml } from './escape.ts';
import type { Position } from '../kinds/position.ts';
import type { Trip } from '../kinds/trip.ts';
import { isTrip, listOf, type StreamFormat, type StreamWriter } from './format.ts';

const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<gpx version="1.1" creator="Waypost" xmlns="http://www.topografix.com/GPX/1/1" xmlns:tpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n';

/** Carries lists of positions, trips and lists of trips. */
export const gpx: StreamFormat = {
  name: 'gpx',
  mediaType: 'application/gpx+xml; charset=utf-8',
  extension: 'gpx',
  carries: (kind) => listOf(kind)?.name === 'positions' || isTrip(kind),
  open: ({ kind, title }) => (kind !== null && isTrip(kind) ? tripWriter(title) : trackWriter(title)),
};

function trackWriter(title: string): StreamWriter {
  const add = createSegments();
  return {
    head: () => `${HEAD}<trk><name>${escapeXml(title)}</name>\n<trkseg>\n`,
    item: add,
    foot: () => '</trkseg>\n</trk>\n</gpx>\n',
  };
}

function tripWriter(title: string): StreamWriter {
  let add: ((position: Thing) => string) | null = null;
  const end = (): string => (add === null ? '' : '</trkseg>\n</trk>\n');
  return {
    head: () => `${HEAD}<metadata><name>${escapeXml(title)}</name></metadata>\n`,
    item(object) {
      const { start_ts, note, purpose } = object as unknown as Trip;
      const words = (note === null ? '' : `<desc>${escapeXml(note)}</desc>`) + (purpose === null ? '' : `<type>${purpose}</type>`);
      const text = `${end()}<trk><name>${isoTime(start_ts)}</name>${words}\n<trkseg>\n`;
      add = createSegments();
      return text;
    },
    position: (position) => add?.(position) ?? '',
    foot: () => `${end()}</gpx>\n`,
  };
}

type Thing = Readonly<Record<string, unknown>>;

/** Writes positions within a segment, which is open before and after. */
function createSegments(): (position: Thing) => string {
  let last: number | null = null;
  return (object) => {
    if (object['valid'] === false) return '';
    const position = object as unknown as Position;
    // A longitude in GPX is less than 180.
    const longitude = position.longitude === 180 ? -180 : position.longitude;
    const crosses = last !== null && Math.abs(longitude - last) > 180;
    last = longitude;
    return (crosses ? '</trkseg>\n<trkseg>\n' : '') + point(position, longitude);
  };
}

/** The order of the elements is the schema's. */
function point({ ts, latitude, altitude, satellites, speed, heading }: Position, longitude: number): string {
  // A course in GPX is less than 360.
  let text = `<trkpt lat="${latitude}" lon="${longitude}">`;
  if (altitude !== undefined) text += `<ele>${altitude}</ele>`;
  text += `<time>${isoTime(ts)}</time>`;
  if (satellites !== undefined) text += `<sat>${satellites}</sat>`;
  if (speed !== undefined || heading !== undefined) {
    text += '<extensions><tpx:TrackPointExtension>';
    if (speed !== undefined) text += `<tpx:speed>${decimal(speed / 3.6)}</tpx:speed>`;
    if (heading !== undefined) text += `<tpx:course>${heading % 360}</tpx:course>`;
    text += '</tpx:TrackPointExtension></extensions>';
  }
  return text + '</trkpt>\n';
}

/** xsd:dateTime in UTC of Unix seconds. */
export const isoTime = (ts: number): string => new Date(ts * 1000).toISOString().replace('.000Z', 'Z');

/** To the mm/s, without the tail of digits that a division leaves. */
const decimal = (value: number): number => Math.round(value * 1000) / 1000;

// GPX 1.1 (topografix.com/GPX/1/1): positions as one track. Positions that are not valid are left out: a track has no word for them.
// Speed and heading go into Garmin's TrackPointExtension v2 (garmin.com/xmlschemas/TrackPointExtensionv2.xsd), in m/s and degrees.
import { escapeXml } from './escape.ts';
import type { Position } from '../kinds/position.ts';
import { listOf, type StreamFormat } from './format.ts';

const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<gpx version="1.1" creator="Waypost" xmlns="http://www.topografix.com/GPX/1/1" xmlns:tpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n';

/** Carries lists of positions. */
export const gpx: StreamFormat = {
  name: 'gpx',
  mediaType: 'application/gpx+xml; charset=utf-8',
  extension: 'gpx',
  carries: (kind) => listOf(kind)?.name === 'positions',
  open: ({ title }) => ({
    head: () => `${HEAD}<trk><name>${escapeXml(title)}</name>\n<trkseg>\n`,
    item: (position) => (position['valid'] === false ? '' : point(position as unknown as Position)),
    foot: () => '</trkseg>\n</trk>\n</gpx>\n',
  }),
};

/** The order of the elements is the schema's. */
function point({ ts, latitude, longitude, altitude, satellites, speed, heading }: Position): string {
  // A longitude in GPX is less than 180, a course less than 360.
  let text = `<trkpt lat="${latitude}" lon="${longitude === 180 ? -180 : longitude}">`;
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

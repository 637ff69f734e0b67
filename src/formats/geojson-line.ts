// The way of a trip as a GeoJSON geometry, written as its positions come: a LineString, or where it crosses the 180th meridian a
// MultiLineString that is cut there (RFC 7946, section 3.1.9). Knows no trip.

export interface Line {
  /** What can be written already. */
  add(position: { latitude: number; longitude: number; altitude?: number }): string;
  /** The rest of the geometry: a Point for a single position, null for none. */
  end(): string;
}

type Coordinates = readonly [x: number, y: number, z?: number];

/** Characters that are held back until it is known what the geometry is. Beyond, it is a MultiLineString, of one line perhaps. */
const HELD = 1_000_000;

export function createLine(): Line {
  let text = '';
  let written = false;
  /** Lines that have two places or more. */
  let lines = 0;
  /** Of the present line. */
  let count = 0;
  let first = '';
  let last: Coordinates | null = null;

  function put(place: Coordinates): void {
    const coordinates = JSON.stringify(place);
    if (count === 0) first = coordinates;
    else if (count === 1) {
      text += `${lines > 0 ? '],[' : ''}${first},${coordinates}`;
      lines++;
    } else text += `,${coordinates}`;
    count++;
  }

  /** Up to the meridian and on from its other side. A line of which there is only its place on the meridian is none. */
  function cross(from: Coordinates, to: Coordinates): void {
    const border = from[0] < 0 ? -180 : 180;
    // Where both are on it, the way is along it.
    const along = from[0] === border && to[0] === -border;
    const share = along ? 1 : (border - from[0]) / (to[0] + 2 * border - from[0]);
    const between = (a: number, b: number): number => Math.round((a + (b - a) * share) * 1e7) / 1e7;
    const [, y, z] = from;
    const height = z === undefined || to[2] === undefined ? [] : [between(z, to[2])];
    const latitude = between(y, to[1]);
    if (from[0] !== border || along) put([border, latitude, ...height] as unknown as Coordinates);
    count = 0;
    if (to[0] !== -border) put([-border, latitude, ...height] as unknown as Coordinates);
  }

  return {
    add({ latitude, longitude, altitude }) {
      const place: Coordinates = altitude === undefined ? [longitude, latitude] : [longitude, latitude, altitude];
      if (last !== null && Math.abs(longitude - last[0]) > 180) cross(last, place);
      put(place);
      last = place;
      if (text.length < HELD) return '';
      const piece = (written ? '' : '{"type":"MultiLineString","coordinates":[[') + text;
      written = true;
      text = '';
      return piece;
    },
    end() {
      if (lines === 0) return last === null ? 'null' : `{"type":"Point","coordinates":${JSON.stringify(last)}}`;
      if (lines === 1 && !written) return `{"type":"LineString","coordinates":[${text}]}`;
      return `${written ? '' : '{"type":"MultiLineString","coordinates":[['}${text}]]}`;
    },
  };
}

// GeoJSON (RFC 7946): whatever has a place becomes a feature. Positions are points, those that are not valid too: they say `valid: false`.
// Trips are lines.
import type { Kind } from '../kinds/kind.ts';
import { isLink } from '../kinds/kind.ts';
import type { Position } from '../kinds/position.ts';
import { isTrip, itemPropertiesOf, type StreamFormat, type StreamWriter } from './format.ts';
import { createLine, type Line } from './geojson-line.ts';
import { cutAtMeridian, outlineOf, type Place, type Shape } from './outline.ts';

export const geojson: StreamFormat = {
  name: 'geojson',
  mediaType: 'application/geo+json; charset=utf-8',
  extension: 'geojson',
  carries: (kind) => isZone(kind) || isPlaced(kind) || isTrip(kind),
  open({ kind }) {
    if (kind !== null && isTrip(kind)) return tripWriter();
    const shaped = kind !== null && isZone(kind);
    let count = 0;
    return {
      head: () => '{"type":"FeatureCollection","features":[\n',
      item: (object) => (count++ > 0 ? ',\n' : '') + JSON.stringify(shaped ? zoneFeature(object) : pointFeature(object)),
      foot: () => '\n]}\n',
    };
  },
};

/** A feature each; its geometry, which has no end until the next one begins, comes last. */
function tripWriter(): StreamWriter {
  let line: Line | null = null;
  const end = (): string => (line === null ? '' : `${line.end()}}`);
  return {
    head: () => '{"type":"FeatureCollection","features":[\n',
    item(trip) {
      const text = `${end()}${line === null ? '' : ',\n'}{"type":"Feature","properties":${JSON.stringify(propertiesWithout(trip, []))},"geometry":`;
      line = createLine();
      return text;
    },
    position: (position) => (position['valid'] === false ? '' : (line?.add(position as unknown as Position) ?? '')),
    foot: () => `${end()}\n]}\n`,
  };
}

const has = (kind: Kind, ...names: string[]): boolean => names.every((name) => Object.hasOwn(itemPropertiesOf(kind), name));
/** A kind of things with an outline. */
export const isZone = (kind: Kind): boolean => has(kind, 'type', 'points', 'radius');
const isPlaced = (kind: Kind): boolean => has(kind, 'latitude', 'longitude');

interface Feature {
  type: 'Feature';
  geometry: { type: string; coordinates: unknown } | null;
  properties: Record<string, unknown>;
}

/** A point outside of the world is no geometry that a reader could draw: its numbers stand among the properties. */
function pointFeature(object: Readonly<Record<string, unknown>>): Feature {
  const { latitude, longitude, altitude } = object;
  const placed = typeof latitude === 'number' && typeof longitude === 'number';
  if (placed && (Math.abs(latitude) > 90 || Math.abs(longitude) > 180))
    return { type: 'Feature', geometry: null, properties: propertiesWithout(object, []) };
  const coordinates = [longitude, latitude, ...(typeof altitude === 'number' ? [altitude] : [])];
  return {
    type: 'Feature',
    geometry: placed ? { type: 'Point', coordinates } : null,
    properties: propertiesWithout(object, ['latitude', 'longitude', 'altitude']),
  };
}

/** A circle also says its centre and radius, a corridor its radius, since GeoJSON has neither shape. */
function zoneFeature(object: Readonly<Record<string, unknown>>): Feature {
  const shape = object as unknown as Shape;
  const outline = outlineOf(shape);
  const pieces = cutAtMeridian(outline);
  const [one] = pieces;
  const parts: unknown[] = outline.type === 'ring' ? pieces.map((ring) => [close(ring)]) : pieces;
  const type = outline.type === 'ring' ? 'Polygon' : 'LineString';
  const geometry =
    one === undefined ? null : pieces.length === 1 ? { type, coordinates: parts[0] } : { type: `Multi${type}`, coordinates: parts };
  const properties = propertiesWithout(object, ['points']);
  const centre = shape.points[0];
  if (shape.type === 'circle' && centre !== undefined) properties['center'] = [centre.longitude, centre.latitude];
  return { type: 'Feature', geometry, properties };
}

const close = (ring: Place[]): Place[] => [...ring, ...ring.slice(0, 1)];

/** Links lead nowhere from a file. */
const propertiesWithout = (object: Readonly<Record<string, unknown>>, names: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !isLink(name) && !names.includes(name)));

// A small map as SVG: a track for positions and the way of a trip, outlines for zones, dots for whatever else has a place.
// Knows no ground and fetches nothing: a grid of degrees and a scale give the measure.
import { unroll, type Point } from '../geo/polygon.ts';
import { escapeHtml } from './escape.ts';
import { drawLabels, type Label } from './map-labels.ts';
import { outlineOf, type Place, type Shape } from './outline.ts';

type Thing = Readonly<Record<string, unknown>>;

/**
 * Something to draw. `reach` is what it covers beyond its places, metres. Of a track that is not `isKnown` only the ends are;
 * one that is not `isOver` has no end yet.
 */
type Figure =
  | { type: 'track'; places: Place[]; reach: 0; isKnown: boolean; isOver: boolean; isLabelled: boolean }
  | { type: 'dot'; places: Place[]; reach: 0; name: string }
  | { type: 'ring' | 'line'; places: Place[]; reach: number; name: string; color: string | null };

const [WIDTH, HEIGHT, MARGIN] = [960, 420, 34];
/** Metres in a degree of latitude, on the sphere. */
const DEGREE = 111_195;
/** The least that a map shows, degrees of latitude: some 300 m. */
const LEAST = 0.003;
const MOST_LABELS = 80;

/** Null when the object has no places. `way`: of the object, which is a trip. */
export function drawMap(object: Thing, way: readonly Point[]): string | null {
  const figures = alignWorlds(figuresOf(object, way).filter(({ places }) => places.length > 0));
  if (figures.length === 0) return null;
  const view = fit(figures);
  const dots = figures.flatMap(dotsOf).map(({ place, ...dot }) => ({ ...dot, x: view.x(place[0]), y: view.y(place[1]) }));
  const labels = [...figures.flatMap((figure) => centreLabel(figure, view)), ...dots.filter(({ isLabelled }) => isLabelled)];
  return (
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Map">${drawGrid(view)}` +
    figures.map((figure) => drawFigure(figure, view)).join('') +
    dots.map(drawDot).join('') +
    (labels.length > MOST_LABELS ? '' : drawLabels(labels, dots, WIDTH, HEIGHT)) +
    `${drawScale(view)}</svg>`
  );
}

function figuresOf(object: Thing, way: readonly Point[]): Figure[] {
  const members = Object.entries(object).filter((entry): entry is [string, Thing[]] => Array.isArray(entry[1]));
  const figures = isShape(object) ? [shapeFigure(object)] : [...dotFigures([object]), ...tripFigures([object], way, true)];
  for (const [name, list] of members) {
    const things = list.filter((item) => typeof item === 'object' && item !== null);
    if (name === 'positions') {
      const fixes = things.filter((thing) => isPlaced(thing) && thing['valid'] !== false) as unknown as Point[];
      figures.push({ type: 'track', places: unroll(fixes), reach: 0, isKnown: true, isOver: true, isLabelled: true });
    } else if (name !== 'points')
      figures.push(...things.filter(isShape).map(shapeFigure), ...dotFigures(things), ...tripFigures(things, [], false));
  }
  return figures;
}

const isPlaced = ({ latitude, longitude }: Thing): boolean => typeof latitude === 'number' && typeof longitude === 'number';
const nameOf = (thing: Thing): string => [thing['name'], thing['event_name'], thing['imei']].find((name) => typeof name === 'string') ?? '';
const isShape = (thing: Thing): boolean => Array.isArray(thing['points']) && typeof thing['type'] === 'string';

const dotFigures = (things: readonly Thing[]): Figure[] =>
  things.filter(isPlaced).map((thing) => ({
    type: 'dot',
    places: [[thing['longitude'] as number, thing['latitude'] as number]],
    reach: 0,
    name: nameOf(thing),
  }));

/** Of those things that are trips. */
const tripFigures = (things: readonly Thing[], way: readonly Point[], isLabelled: boolean): Figure[] =>
  things.flatMap(({ start, end }) => {
    const ends = [start, end].map((place) => (isPlaced((place ?? {}) as Thing) ? [place as Point] : []));
    const [from = [], to = []] = ends;
    if (from.length === 0) return [];
    const places = unroll([...from, ...way, ...to]);
    return [{ type: 'track', places, reach: 0, isKnown: way.length > 0, isOver: to.length > 0, isLabelled }];
  });

function shapeFigure(thing: Thing): Figure {
  const shape = thing as unknown as Shape;
  const { type, places } = outlineOf(shape);
  const color = typeof thing['color'] === 'string' && /^#[0-9a-f]{6}$/i.test(thing['color']) ? thing['color'] : null;
  return { type, places, reach: type === 'line' ? (shape.radius ?? 0) : 0, name: nameOf(thing), color };
}

/** Figures on both sides of the 180th meridian are brought together: each goes where it is nearest to the first. */
function alignWorlds(figures: Figure[]): Figure[] {
  const home = figures[0]?.places[0]?.[0] ?? 0;
  return figures.map((figure) => {
    const shift = 360 * Math.round((home - (figure.places[0]?.[0] ?? 0)) / 360);
    return { ...figure, places: figure.places.map(([x, y]): Place => [x + shift, y]) };
  });
}

interface View {
  west: number;
  east: number;
  south: number;
  north: number;
  /** Pixels in a degree of latitude. */
  scale: number;
  x(longitude: number): number;
  y(latitude: number): number;
}

/** Degrees of longitude are drawn shorter by the cosine of the latitude in the middle, so that shapes look right. */
function fit(figures: readonly Figure[]): View {
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { places, reach } of figures) {
    for (const [x, y] of places) {
      const dy = reach / DEGREE;
      const dx = dy / narrowing(y);
      west = Math.min(west, x - dx);
      east = Math.max(east, x + dx);
      south = Math.min(south, y - dy);
      north = Math.max(north, y + dy);
    }
  }
  const [middleX, middleY] = [(west + east) / 2, (south + north) / 2];
  const narrow = narrowing(middleY);
  const scale = Math.min(
    (WIDTH - 2 * MARGIN) / Math.max((east - west) * narrow, LEAST),
    (HEIGHT - 2 * MARGIN) / Math.max(north - south, LEAST),
  );
  const [halfX, halfY] = [WIDTH / 2 / scale / narrow, HEIGHT / 2 / scale];
  return {
    west: middleX - halfX,
    east: middleX + halfX,
    south: middleY - halfY,
    north: middleY + halfY,
    scale,
    x: (longitude) => pixel(WIDTH / 2 + (longitude - middleX) * narrow * scale),
    y: (latitude) => pixel(HEIGHT / 2 - (latitude - middleY) * scale),
  };
}

const narrowing = (latitude: number): number => Math.max(Math.cos((latitude * Math.PI) / 180), 0.05);
const pixel = (value: number): number => Math.round(value * 10) / 10;

function drawFigure(figure: Figure, view: View): string {
  if (figure.type === 'dot' || (figure.type === 'track' && !figure.isKnown)) return '';
  const path = pathOf(figure.places, view);
  if (figure.type === 'track') return `<polyline class="track" points="${path}"/>`;
  const title = `<title>${escapeHtml(figure.name)}</title>`;
  // Presentation attributes lose against the style sheet, so a shape with a colour of its own has none of the sheet's.
  if (figure.type === 'ring') {
    const paint =
      figure.color === null
        ? 'class="shape"'
        : `fill="${figure.color}" fill-opacity=".16" stroke="${figure.color}" stroke-width="2" stroke-linejoin="round"`;
    return `<polygon ${paint} points="${path}">${title}</polygon>`;
  }
  const paint =
    figure.color === null
      ? 'class="corridor"'
      : `fill="none" stroke="${figure.color}" stroke-opacity=".3" stroke-linejoin="round" stroke-linecap="round"`;
  return `<polyline ${paint} stroke-width="${Math.max(2, pixel((2 * figure.reach * view.scale) / DEGREE))}" points="${path}">${title}</polyline>`;
}

/** Places that fall on the same pixel are drawn once. */
function pathOf(places: readonly Place[], view: View): string {
  let [path, last] = ['', ''];
  for (const [x, y] of places) {
    const place = `${view.x(x)},${view.y(y)} `;
    if (place !== last) path += place;
    last = place;
  }
  return path.trimEnd();
}

interface Dot {
  place: Place;
  style: 'dot' | 'start' | 'end';
  name: string;
  isLabelled: boolean;
}

function dotsOf(figure: Figure): Dot[] {
  const [first, last] = [figure.places[0] as Place, figure.places.at(-1) as Place];
  if (figure.type === 'dot') return [{ place: first, style: 'dot', name: figure.name, isLabelled: true }];
  if (figure.type !== 'track') return [];
  const { isLabelled, isOver } = figure;
  const start: Dot = { place: first, style: 'start', name: 'Start', isLabelled };
  if (isOver) return [start, { place: last, style: 'end', name: 'End', isLabelled }];
  return figure.places.length > 1 ? [start, { place: last, style: 'dot', name: 'Latest', isLabelled }] : [start];
}

const drawDot = ({ x, y, style, name }: Omit<Dot, 'place'> & { x: number; y: number }): string =>
  `<circle class="${style === 'dot' ? 'dot' : `dot ${style}`}" cx="${x}" cy="${y}" r="6"><title>${escapeHtml(name)}</title></circle>`;

/** The name of a shape is in its middle, that of a corridor where it begins. */
function centreLabel(figure: Figure, view: View): Label[] {
  if (figure.type === 'dot' || figure.type === 'track') return [];
  const [x, y] = figure.type === 'ring' ? centreOf(figure.places) : (figure.places[0] as Place);
  return [{ name: figure.name, x: view.x(x), y: view.y(y), isCentred: true }];
}

function centreOf(places: readonly Place[]): Place {
  const [x, y] = places.reduce(([sumX, sumY], place) => [sumX + place[0], sumY + place[1]], [0, 0]);
  return [x / places.length, y / places.length];
}

function drawGrid(view: View): string {
  const step = roundDown((150 / WIDTH) * (view.east - view.west));
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  let text = '';
  for (let i = Math.ceil(view.west / step); i * step <= view.east; i++) {
    const [x, longitude] = [view.x(i * step), i * step - 360 * Math.round((i * step) / 360)];
    const name = nameAngle(longitude, digits, 'E', 'W');
    text += `<path class="grid" d="M${x} 0V${HEIGHT}"/>` + (x < WIDTH - 75 ? `<text x="${x + 4}" y="14">${name}</text>` : '');
  }
  for (let i = Math.ceil(view.south / step); i * step <= view.north; i++) {
    const [y, latitude] = [view.y(i * step), i * step];
    if (Math.abs(latitude) > 90) continue;
    text +=
      `<path class="grid" d="M0 ${y}H${WIDTH}"/>` +
      (y > 40 ? `<text x="6" y="${y - 4}">${nameAngle(latitude, digits, 'N', 'S')}</text>` : '');
  }
  return text;
}

const nameAngle = (angle: number, digits: number, plus: string, minus: string): string =>
  `${Math.abs(angle).toFixed(digits)}\u00b0 ${angle < 0 ? minus : plus}`;

function drawScale(view: View): string {
  const metres = roundDown((160 / view.scale) * DEGREE);
  const [x, y, length] = [WIDTH - MARGIN, HEIGHT - 16, pixel((metres / DEGREE) * view.scale)];
  const label = metres >= 1000 ? `${metres / 1000} km` : `${metres} m`;
  return `<path class="scale" d="M${x - length} ${y - 5}v5h${length}v-5"/><text x="${x - length / 2}" y="${y - 5}" text-anchor="middle">${label}</text>`;
}

/** The next smaller of 1, 2, 5, 10, 20, 50 and so on. */
function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  return Number(((digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power).toPrecision(1));
}

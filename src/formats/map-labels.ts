// Where the names on a map go: beside their dots or in the middle of their shapes, and never over another or over a dot.
// Knows no degrees: all is in the pixels of the map.
import { escapeHtml } from './escape.ts';

export interface Label {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** In the middle of a shape; absent: beside a dot. */
  readonly isCentred?: boolean;
}

/** Half the width of what a dot covers. */
const DOT = 8;
/** Of a line of text, and what of it is above its base line. */
const [LINE, ABOVE] = [14, 11];
/** Of a character, as wide as most; those of East Asia are nearly square. */
const [NARROW, WIDE] = [7, 12.5];
const LONGEST = 28;

type Offset = readonly [dx: number, dy: number, anchor: 'start' | 'middle' | 'end'];

/** Of the base line, from where the name belongs; the best first. */
const INSIDE: readonly Offset[] = [[0, 4, 'middle'], [0, 20, 'middle'], [0, -12, 'middle']]; // prettier-ignore
const BESIDE: readonly Offset[] = [
  [11, 4, 'start'], [-11, 4, 'end'], [0, -12, 'middle'], [0, 21, 'middle'], [5, -11, 'start'], [5, 19, 'start'], [-5, -11, 'end'], [-5, 19, 'end'],
]; // prettier-ignore

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** As SVG. A name for which there is no room anywhere beside its dot is left out: the dot tells it when pointed at. */
export function drawLabels(labels: readonly Label[], dots: readonly { x: number; y: number }[], width: number, height: number): string {
  const taken: Box[] = dots.map(({ x, y }) => ({ left: x - DOT, top: y - DOT, right: x + DOT, bottom: y + DOT }));
  let text = '';
  for (const { name, x, y, isCentred = false } of labels) {
    if (name === '') continue;
    const short = name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}\u2026`.toWellFormed() : name;
    for (const [dx, dy, anchor] of isCentred ? INSIDE : BESIDE) {
      const box = boxOf(short, x + dx, y + dy, anchor);
      if (box.left < 0 || box.top < 0 || box.right > width || box.bottom > height || taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      const aligned = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
      text += `<text class="label" x="${pixel(x + dx)}" y="${pixel(y + dy)}"${aligned}>${escapeHtml(short)}</text>`;
      break;
    }
  }
  return text;
}

function boxOf(name: string, x: number, y: number, anchor: Offset[2]): Box {
  let width = 0;
  for (const character of name) width += (character.codePointAt(0) ?? 0) < 0x2e80 ? NARROW : WIDE;
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, top: y - ABOVE, right: left + width, bottom: y - ABOVE + LINE };
}

const overlap = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const pixel = (value: number): number => Math.round(value * 10) / 10;

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { drawLabels } from './map-labels.ts';

const drawn = (text: string): { x: number; y: number; anchor: string; name: string }[] =>
  [...text.matchAll(/<text class="label" x="([^"]+)" y="([^"]+)"(?: text-anchor="([a-z]+)")?>([^<]*)<\/text>/g)].map(
    ([, x, y, anchor = 'start', name = '']) => ({ x: Number(x), y: Number(y), anchor, name }),
  );

test('a name stands to the right of its dot, else to the left, else above or below', () => {
  const dot = { x: 400, y: 200 };
  const placed = drawn(
    drawLabels(
      Array.from({ length: 20 }, () => ({ ...dot, name: 'Van 1' })),
      [dot],
      960,
      420,
    ),
  );
  assert.deepEqual(
    placed.map(({ anchor, y }) => [anchor, Math.sign(y - 204)]),
    [
      ['start', 0],
      ['end', 0],
      ['middle', -1],
      ['middle', 1],
    ],
  );
  const [atEdge] = drawn(drawLabels([{ x: 5, y: 200, name: 'A long name' }], [{ x: 60, y: 200 }], 960, 420));
  assert.deepEqual([atEdge?.anchor, atEdge?.y], ['start', 189]);
});

test('no name lies on another, on a dot or over the edge, and each is escaped', () => {
  const place = fc.record({ x: fc.integer({ min: 0, max: 960 }), y: fc.integer({ min: 0, max: 420 }) });
  const label = fc.record({
    name: fc.constantFrom('Van 1', '<b>', 'A name that is far too long to be told', '東京', ''),
    place,
    isCentred: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(label, { maxLength: 60 }), (given) => {
      const labels = given.map(({ place: { x, y }, ...rest }) => ({ ...rest, x, y }));
      const text = drawLabels(labels, labels, 960, 420);
      const shown = drawn(text);
      assert.equal(shown.length, text.split('<text').length - 1);
      // Narrower than the letters can be: what overlaps so overlaps on any screen.
      const boxes = shown.map(({ x, y, anchor, name }) => {
        const width = 4 * name.replaceAll(/&\w+;/g, 'x').length;
        const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
        return { left, right: left + width, top: y - 9, bottom: y };
      });
      for (const [i, a] of boxes.entries()) {
        assert.ok(a.left >= 0 && a.right <= 960 && a.top >= 0 && a.bottom <= 420);
        for (const b of boxes.slice(i + 1)) assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top);
        for (const { x, y } of labels) assert.ok(x < a.left || x > a.right || y < a.top || y > a.bottom);
      }
    }),
  );
});

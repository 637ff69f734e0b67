import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Refusal } from '../basics/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { positions } from '../kinds/position.ts';
import { sample } from '../kinds/sample.ts';
import { tracker, trackers } from '../kinds/tracker.ts';
import { zone, zones } from '../kinds/zone.ts';
import { formatNames, negotiate, negotiateFailure } from './negotiate.ts';

const nameOf = (format: string | undefined, accept: string | undefined, kind: Kind = positions): string => {
  const { output, stream } = negotiate(format, accept, kind);
  return (output ?? stream).name;
};
const refuses = (status: number) => (error: unknown) => error instanceof Refusal && error.status === status;

suite('which format', () => {
  const accepted: [string | undefined, string][] = [
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/xml', 'xml'],
    ['text/xml; charset=utf-8', 'xml'],
    ['text/html', 'html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', 'html'],
    ['application/xml;q=0.5, application/json;q=0.4', 'xml'],
    ['application/xml, application/json', 'json'],
    ['*/*, application/xml', 'xml'],
    ['application/json;q=0, */*', 'xml'],
    ['text/*', 'xml'],
    ['text/*, text/xml;q=0', 'html'],
    ['TEXT/HTML; Q=1.0, application/json;q=0.999', 'html'],
    ['application/json;version=2', 'json'],
    ['nonsense, application/xml;q=7, text/html;q=0.1', 'html'],
  ];
  for (const [accept, name] of accepted) test(`Accept ${accept ?? '(none)'}: ${name}`, () => assert.equal(nameOf(undefined, accept), name));

  test('nothing acceptable is 406', () => {
    for (const accept of ['image/png', 'application/json;q=0', '*/*;q=0', 'application/geo+json'])
      assert.throws(() => nameOf(undefined, accept), refuses(406));
  });

  test('_format wins over Accept', () => {
    assert.equal(nameOf('xml', 'application/json'), 'xml');
    assert.equal(nameOf('html', 'image/png'), 'html');
    assert.equal(nameOf('gpx', 'application/json'), 'gpx');
  });

  test('an unknown _format, or one that the kind is not had in, is 400', () => {
    for (const format of ['', 'JSON', 'yaml', 'constructor']) assert.throws(() => nameOf(format, undefined), refuses(400));
    assert.throws(() => nameOf('gpx', undefined, zones), /one of json, xml, html, geojson, kml, csv here/);
  });

  test('each kind is had in what can carry it', () => {
    assert.deepEqual(formatNames(positions), ['json', 'xml', 'html', 'geojson', 'gpx', 'kml', 'csv']);
    assert.deepEqual(formatNames(zones), ['json', 'xml', 'html', 'geojson', 'kml', 'csv']);
    assert.deepEqual(formatNames(zone), ['json', 'xml', 'html', 'geojson', 'kml']);
    assert.deepEqual(formatNames(trackers), ['json', 'xml', 'html', 'geojson', 'csv']);
    assert.deepEqual(formatNames(tracker), ['json', 'xml', 'html', 'geojson']);
    assert.deepEqual(formatNames(sample), ['json', 'xml', 'html']);
  });

  test('a failure is always told in some format', () => {
    assert.equal(negotiateFailure('xml', undefined).name, 'xml');
    assert.equal(negotiateFailure('gpx', 'text/html').name, 'json');
    assert.equal(negotiateFailure(undefined, 'text/html').name, 'html');
    assert.equal(negotiateFailure(undefined, 'image/png').name, 'json');
  });
});

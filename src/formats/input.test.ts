import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { Refusal } from '../basics/errors.ts';
import { isCarriable } from '../kinds/format.ts';
import { checkCreation } from '../kinds/input.ts';
import { alterable, integer, kind, list, nullable, number, object, required, text, truth, type Kind } from '../kinds/kind.ts';
import { position, positions } from '../kinds/position.ts';
import { FIRST_SAMPLE, sample } from '../kinds/sample.ts';
import { tracker } from '../kinds/tracker.ts';
import { zone } from '../kinds/zone.ts';
import { barePage } from './format.ts';
import { readBody } from './input.ts';
import { json } from './json.ts';
import { xml } from './xml.ts';

const PAGE = barePage('sample', null, '');
const XML = 'application/xml';
const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const bytes = (body: string): Uint8Array => Buffer.from(body);
const readText = (type: string, body: string, of: Kind): Record<string, unknown> => readBody(type, bytes(body), of);
const root = (content: string): string => `<?xml version="1.0" encoding="UTF-8"?><root type="object">${content}</root>`;

function assertRefused(status: number, type: string | undefined, body: Uint8Array | string, of: Kind = sample): Refusal {
  let refusal: unknown;
  try {
    readBody(type, typeof body === 'string' ? bytes(body) : body, of);
  } catch (error) {
    refusal = error;
  }
  assert.ok(refusal instanceof Refusal, `refused: ${String(refusal)}`);
  assert.equal(refusal.status, status, refusal.message);
  return refusal;
}

/** A schema and a value of it. */
interface Sort {
  schema: TSchema;
  value: fc.Arbitrary<unknown>;
}

const words = fc.string({ unit: 'binary', maxLength: 20 }).filter(isCarriable);
const texts = fc.oneof(
  words,
  fc.constantFrom('', ' ', '\r\n', '\t a ', '\r', '123', 'true', 'null', '<b>&amp;</b>', ']]>', '\u0085\u2028'),
);
const names = fc.constantFrom('name', 'item', 'type', 'root', 'a_url', 'constructor', 'toString', 'length', 'x1', 'pos_ts');

const { sort } = fc.letrec<{ sort: Sort; scalar: Sort }>((tie) => ({
  scalar: fc.constantFrom<Sort[]>(
    { schema: text('Text.', { max: 1000 }), value: texts },
    { schema: number('Number.'), value: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    { schema: integer('Integer.'), value: fc.maxSafeInteger() },
    { schema: truth('Truth.'), value: fc.boolean() },
  ),
  sort: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: tie('scalar') },
    { weight: 1, arbitrary: tie('scalar').map(({ schema, value }): Sort => ({ schema: nullable(schema), value: fc.option(value) })) },
    {
      weight: 1,
      arbitrary: tie('sort').map(({ schema, value }): Sort => ({
        schema: list('List.', schema),
        value: fc.array(value, { maxLength: 3 }),
      })),
    },
    {
      weight: 2,
      arbitrary: fc
        .dictionary(names, tie('sort'), { maxKeys: 4 })
        .map((sorts): Sort => ({ schema: object('Object.', schemas(sorts)), value: values(sorts) })),
    },
  ),
}));

const schemas = (sorts: Record<string, Sort>): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(sorts).map(([name, { schema }]) => [name, schema]));
const values = (sorts: Record<string, Sort>): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(Object.entries(sorts).map(([name, { value }]) => [name, value])), {
    requiredKeys: [],
    noNullPrototype: true,
  });

suite('the same object in every format', () => {
  test('any object of any kind is the same tree whether it comes as JSON or as XML', () => {
    const cases = fc
      .dictionary(names, sort, { maxKeys: 6 })
      .chain((sorts) => fc.record({ sorts: fc.constant(sorts), value: values(sorts) }));
    fc.assert(
      fc.property(cases, ({ sorts, value }) => {
        const any = kind('any', 'Any.', schemas(sorts));
        assert.deepStrictEqual(readText(XML, xml.write(value, PAGE), any), readText(JSON_TYPE, json.write(value, PAGE), any));
      }),
      { numRuns: 300 },
    );
  });

  test('a simple object is the same tree as a form', () => {
    const simple = kind('simple', 'Simple.', {
      t: alterable(text('.')),
      n: alterable(number('.')),
      b: alterable(truth('.')),
      constructor: alterable(text('.')),
    });
    fc.assert(
      fc.property(
        fc.record(
          { t: texts, n: fc.double({ noNaN: true, noDefaultInfinity: true }), b: fc.boolean(), constructor: texts },
          { noNullPrototype: true },
        ),
        (value) => {
          const form = new URLSearchParams(
            Object.entries(value).map(([name, member]): [string, string] => [name, String(member)]),
          ).toString();
          assert.deepStrictEqual(readText(FORM, form, simple), readText(JSON_TYPE, JSON.stringify(value), simple));
        },
      ),
    );
  });

  const equal: [string, Kind, string, unknown][] = [
    ['text stays text', tracker, '<name>123</name>', { name: '123' }],
    ['blanks of text stay', tracker, '<name> a\n</name>', { name: ' a\n' }],
    ['a carriage return by reference', tracker, '<name>a&#13;b</name>', { name: 'a\rb' }],
    ['an empty element is empty text', tracker, '<name/>', { name: '' }],
    ['null', tracker, '<model type="null"/>', { model: null }],
    ['CDATA and comments', tracker, '<name>a<![CDATA[<b>]]><!-- c -->d</name>', { name: 'a<b>d' }],
    ['a number with blanks', tracker, '<data_retention> 30\n</data_retention>', { data_retention: 30 }],
    ['a bad number stays text', tracker, '<data_retention>0x1e</data_retention>', { data_retention: '0x1e' }],
    ['an empty number', tracker, '<data_retention></data_retention>', { data_retention: '' }],
    ['a list without type', sample, '<trips><item><drive_dist>1e1</drive_dist></item></trips>', { trips: [{ drive_dist: 10 }] }],
    ['an empty list', sample, '<trips type="array"> </trips>', { trips: [] }],
    ['an object without type', sample, '<driver><name>A</name></driver>', { driver: { name: 'A' } }],
    ['the last of a name', sample, '<driver><name>A</name></driver><driver><name>B</name></driver>', { driver: { name: 'B' } }],
    ['text for an object', sample, '<driver>me</driver>', { driver: 'me' }],
    ['text beside elements', sample, '<driver>me<name>A</name></driver>', { driver: 'me' }],
    ['a list said where an object is', sample, '<driver type="array"><name>A</name></driver>', { driver: [] }],
    ['an object said where a list is', sample, '<trips type="object"/>', { trips: {} }],
    ['a list of something else', sample, '<trips><trip/></trips>', { trips: {} }],
    ['an object where text is', sample, '<driver><name><first>A</first></name></driver>', { driver: { name: {} } }],
    ['an item of null', sample, '<trips><item type="null"/></trips>', { trips: [null] }],
    [
      'what the kind does not have',
      sample,
      '<__proto__><a/></__proto__><x type="array"><driver>1</driver></x><constructor>1</constructor>',
      {},
    ],
    [
      'namespaces and other attributes',
      sample,
      '<driver xmlns:x="urn:x" x:y="1" type="object"><x:name>B</x:name><name lang="en">A</name></driver>',
      { driver: { name: 'A' } },
    ],
  ];
  for (const [what, of, content, tree] of equal) {
    test(`XML: ${what}`, () => {
      assert.deepStrictEqual(readText(XML, root(content), of), tree);
      assert.deepStrictEqual(
        checkCreation(of, readText(XML, root(content), of)),
        checkCreation(of, readText(JSON_TYPE, JSON.stringify(tree), of)),
      );
    });
  }

  test('what contradicts the kind is invalid', () => {
    const { faults } = checkCreation(
      sample,
      readText('text/xml; charset="utf-8"', root('<trips type="object"/><driver>me</driver>'), sample),
    );
    assert.deepEqual(faults, { trips: 'invalid', driver: 'invalid' });
  });

  test('a zone as it is written is a zone as it is read', () => {
    const shown = {
      name: 'Yard "7" & <co>',
      type: 'polygon',
      points: [1, 2, 3].map((n) => ({ latitude: n * n, longitude: -n })),
      radius: null,
      color: '#cc3366',
    };
    assert.deepStrictEqual(readText(XML, xml.write({ url: 'zones/1', ...shown }, PAGE), zone), { url: 'zones/1', ...shown });
  });

  test('the sample looks as the document has it', () => {
    assert.equal(
      xml.write({ ts: 1, url: 'sample', ...FIRST_SAMPLE }, PAGE),
      '<?xml version="1.0" encoding="UTF-8"?>\n<root type="object"><ts>1</ts><url>sample</url><trips type="array">' +
        '<item type="object"><drive_t>02:33:08</drive_t><drive_dist>187.8992</drive_dist></item>' +
        '<item type="object"><drive_t>00:12:40</drive_t><drive_dist>7.25</drive_dist></item></trips>' +
        '<driver type="object"><name>Zaphod</name><occupation>President</occupation><speed>0.7c</speed></driver></root>\n',
    );
  });

  test('ten thousand full positions fit', () => {
    const full = Object.fromEntries(Object.keys(position.schema.properties).map((name) => [name, 1]));
    const body = xml.write({ positions: Array.from({ length: 10_000 }, () => full) }, PAGE);
    assert.equal((readText(XML, body, positions)['positions'] as unknown[]).length, 10_000);
  });
});

suite('hostile bodies', () => {
  const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
  const bad: [string, string][] = [
    [
      'billion laughs',
      `<?xml version="1.0"?>\n<!-- x --><!DOCTYPE root [<!ENTITY l0 "ha">${laughs}]><root><driver><name>&l9;</name></driver></root>`,
    ],
    ['external entity', '<!DOCTYPE root [<!ENTITY x SYSTEM "file:///etc/passwd">]><root><driver>&x;</driver></root>'],
    ['DTD of 10 MB', `<!DOCTYPE root [${'<!ENTITY a "b">'.repeat(700_000)}`],
    ['lower-case DTD', '<!doctype root><root/>'],
    ['DTD after the root', `${root('')}<!DOCTYPE root>`],
    ['unknown entity', root('<ts>&nbsp;</ts>')],
    ['depth', '<root>' + '<a>'.repeat(1_000_000)],
    ['depth in a known property', root('<driver><name>' + '<name>'.repeat(100))],
    ['elements', root('<a/>'.repeat(300_000))],
    ['attributes', root(`<a ${Array.from({ length: 1000 }, (_, i) => `a${i}=""`).join(' ')}/>`)],
    ['an attribute of 10 MB', root(`<a b="${'c'.repeat(10_000_000)}"/>`)],
    ['an attribute twice', '<root type="object" type="array"/>'],
    ['unclosed', '<root><driver>'],
    ['crossed', '<root><driver></root></driver>'],
    ['a raw control character', root('<ts>\u0001</ts>')],
    ['a control character by reference', root('<driver><name>&#1;</name></driver>')],
    ['a surrogate by reference', root('<driver><name>&#xD800;</name></driver>')],
    ['two roots', '<root/><root/>'],
    ['text after the root', '<root/>x'],
    ['another root', '<sample/>'],
    ['a list as root', '<root type="array"/>'],
    ['null as root', '<root type="null"/>'],
    ['text as root', '<root>hello</root>'],
    ['null with content', root('<driver type="null">x</driver>')],
    ['no XML', '{"a":1}'],
    ['open prolog', '<?xml version="1.0"'],
    ['open comment', '<!-- <!DOCTYPE'],
  ];
  for (const [what, body] of bad) test(`XML: ${what} is refused with 400`, () => void assertRefused(400, XML, body));

  test('JSON that is none, too deep or no object is refused with 400', () => {
    for (const body of [
      ' ',
      '{',
      '[]',
      '1',
      'null',
      '"a"',
      '{"a":NaN}',
      '{"a":1}x',
      '[{'.repeat(500_000),
      `{"a":${'['.repeat(32)}${']'.repeat(32)}}`,
    ])
      assertRefused(400, JSON_TYPE, body);
    assert.deepEqual(readText(JSON_TYPE, '{"a":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\"[["}', sample), {
      a: '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["[[',
    });
  });

  test('what is not UTF-8 is refused, a byte order mark is not', () => {
    for (const type of [XML, JSON_TYPE]) {
      assertRefused(400, type, Buffer.from([0x7b, 0xff, 0x7d]));
      assertRefused(400, type, Buffer.from('\ufeff<root/>', 'utf16le'));
    }
    assert.deepEqual(readText(JSON_TYPE, '\ufeff{}', sample), {});
    assert.deepEqual(readText(XML, '\ufeff<root/>', sample), {});
  });

  test('another encoding is refused with 415', () => {
    assertRefused(415, XML, '<?xml version="1.0" encoding="ISO-8859-1"?><root/>');
    for (const type of [XML, JSON_TYPE, 'text/xml', FORM]) assertRefused(415, `${type}; charset=iso-8859-1`, '{}', tracker);
    assert.deepEqual(readText('Application/JSON;charset=UTF-8', '{}', sample), {});
  });

  test('another type is refused with 415, which says what would do', () => {
    assert.equal(assertRefused(415, undefined, '{}').headers['accept'], 'application/json, application/xml, text/xml');
    assert.equal(
      assertRefused(415, 'text/plain', 'a=1', tracker).headers['accept'],
      `application/json, application/xml, text/xml, ${FORM}`,
    );
    for (const type of ['', 'constructor', '__proto__', 'multipart/form-data; boundary=x']) assertRefused(415, type, 'x');
    assert.deepEqual(readBody(undefined, bytes(''), sample), {});
  });

  test('names of the language are names like others', () => {
    const tree = readText(JSON_TYPE, '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}', sample);
    assert.deepEqual(checkCreation(sample, tree).value, {});
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  test('no bytes whatever make anything but an object or a refusal', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom(
          '<root type="object">',
          '</root>',
          '<driver>',
          '</driver>',
          '<trips>',
          '<item/>',
          '<![CDATA[',
          ']]>',
          '<!--',
          '-->',
          '&#',
          '&amp;',
          '<?x',
          '?>',
          '<!DOCTYPE',
          '"',
          '{',
          '}',
          ':',
          '%',
          '=',
          '&',
        ),
        words,
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(fc.constantFrom(XML, JSON_TYPE, FORM), pieces, (type, body) => {
        try {
          assert.equal(typeof readText(type, body.join(''), type === FORM ? tracker : sample), 'object');
        } catch (error) {
          assert.ok(error instanceof Refusal, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });
});

suite('forms', () => {
  const simple = kind('simple', 'Simple.', {
    name: required(text('.')),
    age: alterable(nullable(integer('.'))),
    active: alterable(truth('.')),
  });
  test('fields are typed by the kind', () => {
    assert.deepEqual(readText(FORM, 'name=J%C3%B6rg+%26+co&age=042&active=true&other=1', simple), {
      name: 'Jörg & co',
      age: '042',
      active: true,
    });
    assert.deepEqual(readText(FORM, 'age=&name=a&name=b&active', simple), { age: '', name: 'b', active: '' });
    assert.deepEqual(checkCreation(simple, readText(FORM, 'name=a&age=', simple)), { value: { name: 'a', age: null }, faults: null });
  });

  test('malformed escapes, bad UTF-8 and too many fields are refused with 400', () => {
    for (const body of ['name=%', 'name=%zz', '%C3=1', 'name=%ff', '&'.repeat(2_000_000)]) assertRefused(400, FORM, body, simple);
  });

  test('a complex kind takes none', () => {
    assertRefused(415, FORM, 'ts=1', sample);
  });
});

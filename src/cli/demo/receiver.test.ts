import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageLine, openReceiver } from './receiver.ts';

const line = (pairs: Record<string, string>): string => messageLine(new URLSearchParams(pairs), 'Europe/Budapest');

test('a message is one line with the time where the demo is', () => {
  const common = { imei: '001001000000239', name: 'Taxi 4', unix_ts: '1790000000' };
  assert.equal(line({ ...common, event_id: '4' }), '16:13:20  Taxi 4           ignition on');
  assert.equal(
    line({ ...common, event_id: '12', zone_name: 'Old town', cross_type: 'entry' }),
    '16:13:20  Taxi 4           zone crossing, entry: Old town',
  );
  assert.equal(line({ ...common, event_id: '8', value: '97.2', late: '1' }), '16:13:20  Taxi 4           overspeed (97.2), told late');
  assert.match(line({ ...common, event_id: '0' }), /a test message$/);
});

test('whatever comes stays one line that a terminal does not obey', () => {
  for (const name of ['\u001b]0;title\u0007', 'a\nb\r\u2028', '\u202eright to left', '\ud800'])
    assert.doesNotMatch(line({ name, event_id: 'x', unix_ts: '9'.repeat(30), zone_name: name }), /[\p{Cc}\p{Cf}\p{Zl}]/u);
  assert.match(line({ unix_ts: '99999999999' }), /^\d\d:\d\d:\d\d/);
});

test('the receiver hands over what was posted, and refuses what is no message of ours by its size', async () => {
  const received: string[] = [];
  const receiver = await openReceiver((pairs) => received.push(String(pairs)));
  try {
    const post = async (body: string): Promise<number> => (await fetch(receiver.address, { method: 'POST', body })).status;
    assert.equal(await post('name=Van+1&event_id=4'), 204);
    assert.equal(await post('x'.repeat(20_000)), 413);
    assert.deepEqual(received, ['name=Van+1&event_id=4']);
  } finally {
    await receiver.stop();
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../../basics/errors.ts';
import { addressKey, createThrottle, DEFAULT_THROTTLE } from './throttle.ts';

function refusal(work: () => void): Refusal {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.equal(error.status, 429);
    return error;
  }
  throw new assert.AssertionError({ message: 'it was let through' });
}

test('ten failures of an account at once, then one every 30 seconds, from whatever address', () => {
  let now = 1_000_000;
  const throttle = createThrottle(() => now);
  for (let i = 0; i < 10; i++) throttle.take('ada', `10.0.0.${i}`);
  assert.equal(refusal(() => throttle.take('ada', '10.0.1.1')).headers['retry-after'], '30');
  throttle.take('bob', '10.0.1.1');
  now += 29_500;
  assert.equal(refusal(() => throttle.check('ada', '10.0.1.1')).headers['retry-after'], '1');
  now += 500;
  throttle.take('ada', '10.0.1.1');
  refusal(() => throttle.take('ada', '10.0.1.1'));
});

test('a hundred failures of an address at once, then one every 3 seconds, whatever the account', () => {
  let now = 0;
  const throttle = createThrottle(() => now);
  for (let i = 0; i < 100; i++) throttle.take(i % 2 === 0 ? `user ${i}` : null, '2001:db8:1:2::1');
  assert.equal(refusal(() => throttle.take('ada', '2001:db8:1:2:ffff::1')).headers['retry-after'], '3');
  throttle.take('ada', '2001:db8:1:3::1');
  now += 3000;
  throttle.take(null, '2001:db8:1:2::1');
});

test('what was right is not counted; a proven password forgives the account, not the address', () => {
  const throttle = createThrottle(() => 0, { ...DEFAULT_THROTTLE, address: { burst: 12, interval: 3 } });
  for (let i = 0; i < 50; i++) throttle.take('ada', '10.0.0.1').giveBack();
  for (let i = 0; i < 9; i++) throttle.take('ada', '10.0.0.1');
  throttle.take('ada', '10.0.0.1').forgive();
  for (let i = 0; i < 3; i++) throttle.take('ada', '10.0.0.1');
  refusal(() => throttle.take('ada', '10.0.0.1'));
  throttle.check('ada', '10.0.0.2');
});

test('memory is bounded: beyond it the longest untried is forgotten', () => {
  const throttle = createThrottle(() => 0, { account: { burst: 1, interval: 30 }, address: { burst: 1e6, interval: 3 }, remembered: 2 });
  for (const name of ['a', 'b', 'c']) throttle.take(name, '10.0.0.1');
  throttle.check('a', '10.0.0.1');
  refusal(() => throttle.check('b', '10.0.0.1'));
  refusal(() => throttle.check('c', '10.0.0.1'));
});

test('never more failures than the limit in any stretch of time', () => {
  const steps = fc.array(fc.record({ pause: fc.nat(60_000), tries: fc.nat(20) }), { maxLength: 20 });
  fc.assert(
    fc.property(steps, (list) => {
      let now = 0;
      let through = 0;
      const throttle = createThrottle(() => now);
      for (const { pause, tries } of list) {
        now += pause;
        for (let i = 0; i < tries; i++) {
          try {
            throttle.take('ada', '10.0.0.1');
            through++;
          } catch (error) {
            assert.ok(error instanceof Refusal);
          }
        }
        assert.ok(through <= 10 + now / 30_000 + 1e-6);
      }
    }),
    { numRuns: 100 },
  );
});

test('IPv6 is counted by /64 however it is written, IPv4 by address', () => {
  assert.equal(addressKey('192.0.2.1'), '192.0.2.1');
  assert.equal(addressKey('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(addressKey('::1'), '0:0:0:0::/64');
  assert.equal(addressKey('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.equal(addressKey('2001:0DB8:0:1::'), addressKey('2001:db8:0:1:2:3:4:5'));
  assert.equal(addressKey('1:2:3:4:5:6:192.0.2.1'), '1:2:3:4::/64');
  assert.equal(addressKey('1::4:5:6:192.0.2.1'), '1:0:0:4::/64');
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
      // The normal form writes mapped IPv4 addresses in hexadecimal, which no socket does.
      if (!/ffff:[\d.]+$/i.test(address)) assert.equal(addressKey(written), addressKey(address));
    }),
  );
});

// A real browser on a real server: signing in through the page and through the browser's own Basic and Digest, going by links,
// and nothing on a page that the browser complains about. Needs Chromium; CHROMIUM names it where it is not /usr/bin/chromium.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import type { Client } from '../http.ts';
import { HttpReceiver } from '../receivers/http.ts';
import { PASSWORD, until, World } from '../world.ts';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const IMEI = '356307042441013';
/** A name that would run if a page let it. */
const NAME = '<script>document.title="taken over"</script> & "Van"';

let browser: Browser;
let world: World;
let anna: Client;
/** Where her messages go. */
let receiver: HttpReceiver;

before(async () => {
  assert.ok(
    existsSync(executablePath),
    `these tests need Chromium: there is none at ${executablePath}; install it, or name it in CHROMIUM`,
  );
  receiver = await HttpReceiver.open();
  world = await World.open('--target-networks', '127.0.0.1');
  anna = await world.newClient('anna');
  await world.run(['tracker', 'add', '--account', 'anna', '--imei', IMEI, '--name', NAME]);
  const osmand = world.place('osmand', 'http');
  for (let i = 0; i < 20; i++) {
    const { status } = await fetch(
      `${osmand}/?id=${IMEI}&lat=${47.5 + i / 1000}&lon=${19 + i / 700}&timestamp=${Math.floor(Date.now() / 1000) - 600 + i * 30}&speed=20`,
    );
    assert.equal(status, 200);
  }
  browser = await chromium.launch({ executablePath, args });
});

after(async () => {
  await browser.close();
  await world.close();
  await receiver.close();
});

/** A page of a fresh browser, and all that it complained about. */
async function open(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await browser.newContext(options)).newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}

const gateway = (): string => `${world.http}/rest/v2/gateway`;

async function signIn(page: Page, password = PASSWORD, query = ''): Promise<void> {
  await page.goto(gateway() + query);
  await page.fill('input[name=username]', 'anna');
  await page.fill('input[name=password]', password);
  await page.click('button');
}

test('a browser signs in on the page, with no pop-up, and goes by links', async () => {
  const { page, complaints } = await open();
  await signIn(page);
  assert.match(page.url(), /\/rest\/v2\/gateway/);
  await page.click('a[href*="trackers"]');
  assert.equal(await page.locator('script').count(), 0);
  assert.ok((await page.textContent('main'))?.includes(NAME));
  await page.click(`a[href*="trackers/${IMEI}"]`);
  await page.click('a[href*="positions"]');
  assert.ok((await page.locator('svg').count()) > 1, 'the track is drawn');
  assert.ok(!(await page.title()).includes('taken over'));
  // The cookie carries the browser on where no link has the token.
  await page.goto(`${world.http}/rest/v2/live`);
  assert.ok((await page.textContent('main'))?.includes(IMEI));
  assert.ok(!(await page.content()).includes('_token='), 'the cookie is enough: no link repeats the token');
  // A 401 on the way in is all that a browser may have said.
  assert.deepEqual(
    complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('from the gateway by clicking to a trip on its map, its days, what happened, and the message about it', async () => {
  const [imei, name] = ['356307042441021', 'Fish & <Chips>'];
  const tracker = await anna.addTracker(imei, { name });
  const target = await anna.ask(anna.gateway.link('targets_url'), { json: { name: 'Desk', type: 'http', address: receiver.url } });
  const rule = { event_id: 7, target_url: target.location };
  assert.equal((await anna.ask(tracker.link('event_notifications_url'), { json: rule })).status, 303);
  // Ten minutes on the way, and ten more where it ended.
  const start = Math.floor(Date.now() / 1000) - 1800;
  for (let i = 0; i <= 40; i++) {
    const way = Math.min(i, 20) / 400;
    const query = `id=${imei}&lat=${47.5 + way}&lon=${19 + way}&timestamp=${start + i * 30}&speed=${i < 20 ? 20 : 0}`;
    assert.equal((await fetch(`${world.place('osmand', 'http')}/?${query}`)).status, 200);
  }
  await until('the message about the end of the trip', () => (receiver.messages.length > 0 ? true : null));

  const { page, complaints } = await open();
  await signIn(page, PASSWORD, '?_tz=Asia/Kathmandu');
  const main = (): Promise<string> => page.locator('main').innerText();
  const click = async (text: string, within = 'main'): Promise<string> => {
    await page.locator(within).getByRole('link', { name: text, exact: true }).first().click();
    return main();
  };
  await click('trackers');
  assert.ok((await click(`trackers/${imei}`)).startsWith(name));
  const [url = ''] = ((await click('trips', 'header')).match(/trips\/\d+/g) ?? []) as string[];
  const trip = await click(url);
  const local = Temporal.Instant.fromEpochMilliseconds(start * 1000).toZonedDateTimeISO('Asia/Kathmandu');
  assert.ok(trip.includes(`${local.toPlainDate().toString()} ${local.toPlainTime().toString({ smallestUnit: 'second' })} +05:45`), trip);
  const way = (await page.locator('svg polyline.track').getAttribute('points')) ?? '';
  assert.ok(way.split(' ').length > 10, way);
  assert.deepEqual(await page.locator('svg text.label').allTextContents(), ['Start', 'End']);
  assert.equal(await page.locator('header [aria-current=true]').allInnerTexts().then(String), 'trackers,trips');

  assert.match(await click('days', 'header'), new RegExp(`${local.toPlainDate().toString()}\\s+00:10:00`));
  assert.match(await click('events', '[aria-label=Sections] ~ [aria-label=Sections]'), /trip start[^]*trip end/);
  assert.match(await click('targets', 'header'), /Desk/);
  await click((await page.locator('main td a').first().innerText()).trim());
  const [delivery = ''] = /deliveries\/\d+/.exec(await click((await page.locator('main a[href*=deliveries]').innerText()).trim())) ?? [];
  assert.match(await click(delivery), /delivered[^]*200/);
  assert.match(await click(await page.locator('main a[href*="events/"]').innerText()), /^trip end/);
  assert.equal(await page.locator('script').count(), 0);
  assert.deepEqual(
    complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('a wrong password is told on the page, and does not get in', async () => {
  const { page } = await open();
  await signIn(page, 'not the password');
  assert.ok(await page.locator('[role=alert]').isVisible());
  await page.goto(gateway());
  assert.equal(await page.locator('input[name=password]').count(), 1);
});

for (const scheme of ['basic', 'digest']) {
  test(`the browser's own ${scheme} authentication gets in, and stays in`, async () => {
    const { page } = await open({ httpCredentials: { username: 'anna', password: PASSWORD } });
    const answer = await page.goto(`${world.http}/rest/v2/auth-${scheme}`);
    assert.equal(answer?.status(), 200);
    assert.match(page.url(), /\/rest\/v2\/gateway$/);
    assert.ok((await page.textContent('main'))?.includes(`auth_${scheme}_valid`));
    await page.click('a[href*="trackers"]');
    assert.ok((await page.textContent('main'))?.includes(IMEI));
  });
}

test('a page of another site cannot make the browser change anything', async () => {
  const { page } = await open();
  await signIn(page);
  const { hostname, port } = new URL(world.http);
  // Another origin on the same machine: what a page there sends carries the cookie where the browser lets it.
  const foreign = `http://${hostname === 'localhost' ? '127.0.0.1' : 'localhost'}:${port}/health`;
  await page.goto(foreign);
  const status = await page.evaluate(async (url) => {
    const form = new URLSearchParams({ name: 'changed' });
    return fetch(url, { method: 'PUT', body: form, credentials: 'include', mode: 'no-cors' }).then(
      (response) => response.status,
      () => -1,
    );
  }, `${world.http}/rest/v2/account`);
  assert.notEqual(status, 200);
  await page.goto(`${world.http}/rest/v2/account`);
  assert.ok(!(await page.textContent('main'))?.includes('changed'));
});

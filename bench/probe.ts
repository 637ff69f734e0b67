// A client that asks at a steady pace, whatever the service does: `node bench/probe.ts URL TOKEN RATE SECONDS`. An answer's time counts from
// when its request was due, so that a service that stands still is seen to. Prints one JSON line.
import { Agent, get } from 'node:http';
import { createHistogram } from 'node:perf_hooks';

export interface Probed {
  requests: number;
  /** ms. */
  p50: number;
  p99: number;
  max: number;
}

const [url = '', token = '', rate = '200', seconds = '1'] = process.argv.slice(2);
const interval = 1000 / Number(rate);
const agent = new Agent({ keepAlive: true, maxSockets: 50 });
const options = { agent, headers: { authorization: `X-Token ${token}`, accept: 'application/json' } };
const histogram = createHistogram();

async function ask(due: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    get(url, options, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url} answers ${answer.statusCode}`));
      answer.on('error', reject).on('end', resolve).resume();
    }).on('error', reject);
  });
  histogram.record(Math.max(1, Math.round((performance.now() - due) * 1000)));
}

/** Asks for so long, and waits for the last answers. */
async function askFor(milliseconds: number): Promise<void> {
  const began = performance.now();
  const asked: Promise<void>[] = [];
  for (let due = began; due < began + milliseconds; due += interval) {
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
    asked.push(ask(due));
  }
  await Promise.all(asked);
}

// Connections are made and both sides are warm before anything counts.
await askFor(500);
histogram.reset();
await askFor(Number(seconds) * 1000);
const milliseconds = (value: number): number => Math.round(value / 10) / 100;
const result: Probed = {
  requests: histogram.count,
  p50: milliseconds(histogram.percentile(50)),
  p99: milliseconds(histogram.percentile(99)),
  max: milliseconds(histogram.max),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
agent.destroy();

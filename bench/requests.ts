// A client that asks for one address over and over: autocannon, as a process of its own.
import { fileURLToPath } from 'node:url';
import { start } from './process.ts';

const autocannon = fileURLToPath(import.meta.resolve('autocannon'));
export const CLIENTS = 10;

export interface Answered {
  requests: number;
  perSecond: number;
  /** ms; autocannon counts whole ones. */
  p99: number;
}

export interface Asked {
  url: string;
  headers: Readonly<Record<string, string>>;
  seconds: number;
}

interface Result {
  non2xx: number;
  errors: number;
  timeouts: number;
  requests: { total: number };
  duration: number;
  latency: { p99: number };
}

/** Throws when an answer is anything but good. */
export async function ask({ url, headers, seconds }: Asked): Promise<Answered> {
  const words = ['-c', `${CLIENTS}`, '-d', `${seconds}`, '--json', '--no-progress'];
  for (const [name, value] of Object.entries(headers)) words.push('-H', `${name}=${value}`);
  const { lastLine } = start(process.execPath, [autocannon, ...words, url], seconds + 20);
  const result = JSON.parse(await lastLine) as Result;
  if (result.non2xx + result.errors + result.timeouts > 0)
    throw new Error(`${url}: ${result.non2xx} bad answers, ${result.errors} errors, ${result.timeouts} timeouts`);
  const { latency, requests, duration } = result;
  return { requests: requests.total, perSecond: requests.total / duration, p99: latency.p99 };
}

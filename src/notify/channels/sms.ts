// Text messages through an HTTP gateway of the operator's choice: its address and body are templates with {to} and {text}.
// Not guarded: where the gateway is, also within the operator's own network, is the operator's to say.
import { Agent, buildConnector } from 'undici';
import { Undelivered, type Channel } from './channel.ts';
import { call, CONNECT_TIMEOUT } from './http-call.ts';

export interface SmsSettings {
  /** May hold {to} and {text}. */
  url: string;
  method: 'GET' | 'POST' | 'PUT';
  /** Of the body; says how what is put into the template is escaped there. */
  contentType: string;
  /** May hold {to} and {text}; none with GET. In JSON and XML they stand within quotes or an element. */
  body: string;
  /** More headers, such as `authorization`. */
  headers: Readonly<Record<string, string>>;
}

/** Null settings: there is no gateway, and every message fails and says so. */
export function smsChannel(settings: SmsSettings | null): Channel {
  if (settings === null)
    return () => Promise.reject(new Undelivered('this service sends no text messages: its operator has set up no gateway for them'));
  const { method, contentType, headers } = settings;
  const dispatcher = new Agent({
    allowH2: false,
    pipelining: 0,
    connect: buildConnector({ timeout: CONNECT_TIMEOUT, allowH2: false }),
  });
  return async ({ address, sentence }, signal) => {
    const values = { to: address, text: sentence };
    const url = new URL(fill(settings.url, values, encodeURIComponent));
    const body = method === 'GET' ? null : fill(settings.body, values, escapeFor(contentType));
    const type = body === null ? {} : { 'content-type': contentType };
    return call('the SMS gateway', { url, method, headers: { ...type, ...headers }, body }, dispatcher, signal);
  };
}

const fill = (template: string, values: { to: string; text: string }, escape: (text: string) => string): string =>
  template.replaceAll(/\{(to|text)\}/g, (_, name: 'to' | 'text') => escape(values[name]));

function escapeFor(contentType: string): (text: string) => string {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return encodeURIComponent;
  if (/[/+]json\b/i.test(contentType)) return (text) => JSON.stringify(text).slice(1, -1);
  if (/[/+]xml\b/i.test(contentType)) return (text) => text.replaceAll(/[<>&"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  return (text) => text;
}

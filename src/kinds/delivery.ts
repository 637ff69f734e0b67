// Deliveries: one message to one target each, and what became of it.
import { choice, integer, kind, link, list, nullable, number, object, text, timestamp, truth, type Shown } from './kind.ts';

const properties = {
  url: link('Its own address.'),
  message_id: text('Stays the same however often it is sent: receivers drop repeats by it.'),
  ts: timestamp('When it was made.'),
  event_url: nullable(link('What it tells of; null for a test message, and when the event is there no more.')),
  late: truth('It was made so long after the event that it says so.'),
  state: choice('`waiting` to be sent or sent again, `delivered`, `given_up` after a day, `skipped`: not sent at all.', [
    'waiting',
    'delivered',
    'given_up',
    'skipped',
  ]),
  attempts: integer('How often it was tried.'),
  next_ts: nullable(timestamp('When it is tried next; null when as soon as possible, or never.')),
  status: nullable(integer('What the last attempt was answered: the status of HTTP, or the reply code of the mail server.')),
  error: nullable(text('Why the last attempt failed, or why it was skipped.', { max: 1000 })),
  resend_url: nullable(link('POST here to send it after all; null while it waits and when it was delivered.')),
};

export const delivery = kind('delivery', 'One message to one target.', {
  ...properties,
  tries: list(
    'Each attempt, the first one first.',
    object('An attempt.', {
      ts: timestamp('When it began.'),
      duration: number('How long it took.', { unit: 's' }),
      status: nullable(integer('What it was answered.')),
      error: nullable(text('Why it failed; null for the one that did not.', { max: 1000 })),
    }),
    { max: Infinity },
  ),
});

export const deliveries = kind('deliveries', 'The messages of a target, newest first, a page at a time.', {
  url: link('Its own address.'),
  deliveries: list('At most `limit` of them.', object('A delivery.', properties)),
  next_url: nullable(link('Older ones; null on the last page.')),
});

export type Delivery = Shown<typeof deliveries>['deliveries'][number];

export const resend = kind('resend', 'A POST here sends a message that was given up or skipped after all, and leads to it.', {
  url: link('Its own address.'),
  delivery_url: link('The message.'),
});

// Targets: where messages go. Knows what an address must look like, not how a message is sent there.
import { isEmail } from './format.ts';
import { alterable, choice, kind, link, list, object, required, text, timestamp, truth, type Faults, type Shown } from './kind.ts';

/** Whether the address is one of the type: a mailbox, an http(s) URL, or a phone number as E.164 has it, `+` and 7 to 15 digits. */
function isAddress(type: string, address: string): boolean {
  if (type === 'email') return isEmail(address);
  if (type === 'sms') return /^\+[1-9]\d{6,14}$/.test(address);
  const url = /[\s\\]/.test(address) ? null : URL.parse(address);
  // No user and password: they would be shown to whoever sees the target, and logged on the way.
  return url !== null && /^https?:\/\//i.test(address) && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function targetFaults({ type, address }: Record<string, unknown>): Faults | null {
  return typeof type === 'string' && typeof address === 'string' && !isAddress(type, address) ? { address: 'invalid' } : null;
}

export const target = kind(
  'target',
  'Where messages go: a mailbox, a web address or a telephone.',
  {
    url: link('Its own address.'),
    name: required(text('What people call it.', { max: 100 })),
    type: required(choice('How messages get there.', ['email', 'http', 'sms'])),
    address: required(
      text('`email`: a mail address; `http`: an address that begins with http:// or https://; `sms`: a number such as +491701234567.', {
        max: 2000,
      }),
    ),
    active: alterable(truth('False stops messages: none are made for it, and those that wait are held. Left out, it is true.')),
    created_ts: timestamp('When it was made.'),
    test_url: link('POST here to send a test message.'),
    deliveries_url: link('The messages that were made for it, and what became of them.'),
  },
  targetFaults,
);

export type Target = Shown<typeof target>;

export const targets = kind('targets', 'The targets of the account.', {
  url: link('Its own address.'),
  targets: list('All of them, oldest first.', object('A target.', target.schema.properties), { max: Infinity }),
});

export const test = kind('test', 'A POST here sends a test message to the target, and leads to its delivery.', {
  url: link('Its own address.'),
  target_url: link('The target.'),
});

// Finds the addresses of a host name that a stranger may have chosen. The system's own lookup occupies one of the few threads
// that password hashes and files need too, for as long as a slow name server likes; so it is asked last, and for one name at a time.
import { lookup, Resolver } from 'node:dns/promises';
import { Undelivered } from './channels/channel.ts';

/** The addresses of a host name, at least one. */
export type FindAddresses = (name: string) => Promise<string[]>;

const TIMEOUT = 3000;
const TRIES = 2;
/** Names that may wait for the system's lookup. */
const MOST_WAITING = 50;

/**
 * Asks the name servers (`servers`, or those that the system has); then, for what only the system knows, such as names from its
 * hosts file, the system.
 */
export function createNameLookup(servers: readonly string[] = []): FindAddresses {
  const resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  function askSystem(name: string): Promise<string[]> {
    if (waiting >= MOST_WAITING) throw new Undelivered('too many names are being looked up');
    waiting++;
    const found = last.then(() => lookup(name, { all: true })).finally(() => waiting--);
    last = found.catch(() => undefined);
    return found.then((list) => list.map(({ address }) => address));
  }

  return async (name) => {
    // RFC 6761, section 6.3: this name is never asked for.
    if (/^(.+\.)?localhost\.?$/i.test(name)) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const codes = answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as { code?: string }).code : ''));
    if (codes.includes('ETIMEOUT')) throw new Undelivered(`no name server answered when asked for ${name}`);
    try {
      return await askSystem(name);
    } catch (error) {
      if (error instanceof Undelivered) throw error;
      throw new Undelivered(`no address was found for ${name}`, null, { cause: error });
    }
  };
}

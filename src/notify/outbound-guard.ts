// Keeps requests to addresses that strangers chose out of the operator's own network: every address that a connection could
// go to is judged, and the connection goes to just those that were. Knows no messages.
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { callbackify } from 'node:util';
import { Agent, buildConnector } from 'undici';
import { Undelivered } from './channels/channel.ts';
import { CONNECT_TIMEOUT } from './channels/http-call.ts';
import type { FindAddresses } from './name-lookup.ts';

/** Not globally reachable, or not one host's: IANA's special-purpose IPv4 registry (RFC 6890), multicast, class E. */
const CLOSED_IPV4 = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24',
  '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4',
]; // prettier-ignore

/** Of IPv6, global unicast alone (RFC 4291), without what is not one host's there: protocols, Teredo, documentation, 6to4. */
const OPEN_IPV6 = ['2000::/3'];
const CLOSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** An IPv4 address that a gateway is to reach for those who have IPv6 alone (RFC 6052), as URLs and resolvers write it. */
const NAT64 = /^64:ff9b::(?:([\da-f]{1,4}):)?([\da-f]{1,4})$/i;

/** Whether an IP address may be sent to. */
export type Permits = (address: string) => boolean;

/** The networks that this machine stands in, as they are now: public addresses too may lie behind the operator's firewall. */
const ownNetworks = (): string[] => Object.values(networkInterfaces()).flatMap((own) => (own ?? []).flatMap(({ cidr }) => cidr ?? []));

/**
 * `allowed` are addresses and networks (10.1.2.3, 10.0.0.0/8, fd00::/8) that the operator opens, whatever they are; `own` those that
 * are closed beside what is not the world's.
 */
export function createGuard(allowed: readonly string[], own: () => readonly string[] = ownNetworks): Permits {
  const [closed4, open6, closed6, opened] = [listOf(CLOSED_IPV4), listOf(OPEN_IPV6), listOf(CLOSED_IPV6), listOf(allowed)];
  // A list finds an IPv4 address in networks of IPv6 too, written as ::ffff:a.b.c.d; who opens ::/0 does not mean that.
  const opened4 = listOf(allowed.filter((network) => network.includes('.')));
  const permits: Permits = (address) => {
    if (isIPv4(address)) return opened4.check(address, 'ipv4') || !(closed4.check(address, 'ipv4') || listOf(own()).check(address, 'ipv4'));
    // An address with a zone ("fe80::1%eth0") is a local one.
    if (!isIPv6(address) || address.includes('%')) return false;
    if (opened.check(address, 'ipv6')) return true;
    const embedded = NAT64.exec(address);
    if (embedded !== null) return permits(dotted(embedded[1] ?? '0', embedded[2] ?? '0'));
    return open6.check(address, 'ipv6') && !closed6.check(address, 'ipv6') && !listOf(own()).check(address, 'ipv6');
  };
  return permits;
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const dotted = (high: string, low: string): string =>
  [high, low].flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 255]).join('.');

/**
 * For requests over HTTP to addresses that strangers chose. A host is refused when any of its addresses is: what is judged is
 * what the socket is given, so that a name that means something else the next moment gains nothing. Connections are not kept.
 */
export function guardedAgent(permits: Permits, find: FindAddresses): Agent {
  const judge = (address: string): void => {
    if (!permits(address)) throw new Undelivered('the target is in a network that this service does not send to');
  };

  const judged = callbackify(async (name: string) => {
    const addresses = await find(name);
    addresses.forEach(judge);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  });
  const lookup: LookupFunction = (name, { all = false }, callback) =>
    judged(name, (error, found) => {
      const [first] = found ?? [];
      if (error !== null) callback(error, []);
      else if (first === undefined) callback(new Undelivered(`no address was found for ${name}`), []);
      else if (all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT, allowH2: false, lookup });

  return new Agent({
    allowH2: false,
    pipelining: 0,
    connect(options, callback) {
      // What is an address already is never looked up.
      const address = options.hostname.replace(/^\[(.*)\]$/, '$1');
      try {
        if (isIP(address) !== 0) judge(address);
      } catch (error) {
        return callback(error as Error, null);
      }
      connect(options, callback);
    },
  });
}

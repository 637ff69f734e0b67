// An object of a kind becomes text, with links that the asker can follow; a long list a slice at a time.
import { createHash, hash } from 'node:crypto';
import { mapSlices, SLICE } from '../basics/slices.ts';
import { barePage, listOf, type OutputFormat, type Page } from '../formats/format.ts';
import type { Kind } from '../kinds/kind.ts';
import { pageOf, showLinks } from './answer.ts';
import type { Request } from './request.ts';
import type { Shown } from './resource.ts';

/** Characters of a tag: 120 bits. */
const TAG = 20;

export interface Written {
  /** One piece, or many for a long list. */
  pieces: string[];
  /** Over all of them. */
  hash: string;
}

/** What only pages for people show: titles, times in a time zone, the way of a trip. */
export type ForPeople = Pick<Page, 'title' | 'timezone' | 'way'>;

export async function writeShown(request: Request, kind: Kind, people: ForPeople, shown: Shown, output: OutputFormat): Promise<Written> {
  const pieces = await piecesOf(request, kind, people, shown, output);
  const [whole = ''] = pieces;
  if (pieces.length === 1) return { pieces, hash: hash('sha1', whole, 'base64url').slice(0, TAG) };
  const digest = createHash('sha1');
  for (const piece of pieces) digest.update(piece);
  return { pieces, hash: digest.digest('base64url').slice(0, TAG) };
}

async function piecesOf(request: Request, kind: Kind, people: ForPeople, shown: Shown, output: OutputFormat): Promise<string[]> {
  const list = listOf(kind)?.name;
  const members = list === undefined ? [] : (shown[list] as Shown[]);
  if (list !== undefined && output.slice !== undefined && members.length > SLICE) {
    const { head, members: write, between, foot } = output.slice(showLinks({ ...shown, [list]: [] }, kind, request), list);
    const slices = await mapSlices(members, (slice) => write(showLinks({ [list]: slice }, kind, request)[list] as Shown[]));
    return slices.map((text, i) => (i === 0 ? head : between) + text + (i === slices.length - 1 ? foot : ''));
  }
  // Only pages for people say anything around their object.
  const page = output.name === 'html' ? pageOf(kind, people.title, request, people) : barePage(request.path, kind, people.title);
  return [output.write(showLinks(shown, kind, request), page)];
}

// Which format an answer has: `_format` where it is given, else what `Accept` likes best (RFC 9110, section 12.5.1).
import { Refusal } from '../basics/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import type { OutputFormat, StreamFormat } from './format.ts';
import { OUTPUT_FORMATS, STREAM_FORMATS } from './formats.ts';

export type Chosen = { output: OutputFormat; stream: null } | { output: null; stream: StreamFormat };

/** Names for `_format` that an object of this kind is had in. */
export const formatNames = (kind: Kind): string[] => [
  ...OUTPUT_FORMATS.map((format) => format.name),
  ...STREAM_FORMATS.filter((format) => format.carries(kind)).map((format) => format.name),
];

/**
 * `format` is the value of `_format`, `accept` the header as it came; undefined where there is none.
 * Throws Refusal 400 for a `_format` that the kind is not had in, 406 when nothing that is accepted can be given.
 */
export function negotiate(format: string | undefined, accept: string | undefined, kind: Kind): Chosen {
  if (format !== undefined) {
    const output = OUTPUT_FORMATS.find(({ name }) => name === format);
    if (output !== undefined) return { output, stream: null };
    const stream = STREAM_FORMATS.find((candidate) => candidate.name === format && candidate.carries(kind));
    if (stream !== undefined) return { output: null, stream };
    throw new Refusal(400, `_format can be one of ${formatNames(kind).join(', ')} here.`);
  }
  const output = mostWelcome(accept);
  if (output === null) throw new Refusal(406, `This address answers in ${OUTPUT_FORMATS.map(({ accepts }) => accepts[0]).join(', ')}.`);
  return { output, stream: null };
}

/** The format of a failure: as near as can be to what was asked for, JSON where that cannot be had. */
export function negotiateFailure(format: string | undefined, accept: string | undefined): OutputFormat {
  const fallback = OUTPUT_FORMATS[0];
  if (format !== undefined) return OUTPUT_FORMATS.find(({ name }) => name === format) ?? fallback;
  return mostWelcome(accept) ?? fallback;
}

interface Range {
  type: string;
  q: number;
}

/** Null when `accept` rules out every format. The greater q wins, then the more exact range, then the order of our list. */
function mostWelcome(accept: string | undefined): OutputFormat | null {
  const ranges = readAccept(accept ?? '');
  if (ranges.length === 0) return OUTPUT_FORMATS[0];
  let best: { format: OutputFormat; q: number; exactness: number } | null = null;
  for (const format of OUTPUT_FORMATS) {
    for (const type of format.accepts) {
      const { q, exactness } = welcome(type, ranges);
      if (q > 0 && (best === null || q > best.q || (q === best.q && exactness > best.exactness))) best = { format, q, exactness };
    }
  }
  return best?.format ?? null;
}

/** The most exact range that covers the type decides about it. */
function welcome(type: string, ranges: Range[]): { q: number; exactness: number } {
  for (const [exactness, range] of [
    [2, type],
    [1, `${type.split('/')[0]}/*`],
    [0, '*/*'],
  ] as const) {
    const found = ranges.find((candidate) => candidate.type === range);
    if (found !== undefined) return { q: found.q, exactness };
  }
  return { q: 0, exactness: 0 };
}

/** Parameters other than q narrow nothing here. A member that makes no sense is passed over, as if it were not there. */
function readAccept(accept: string): Range[] {
  const ranges: Range[] = [];
  for (const member of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = member.split(';').map((part) => part.trim());
    if (!/^[^\s/]+\/[^\s/]+$/.test(type)) continue;
    const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const q = given === undefined ? '1' : given.replace(/^q\s*=\s*/, '');
    if (/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q)) ranges.push({ type, q: Number(q) });
  }
  return ranges;
}

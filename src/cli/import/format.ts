// The file formats that can be imported, and how a file shows which one it is.
import { readCsv, isCsvHeader, type CsvOptions } from './csv.ts';
import { readGpx } from './gpx.ts';
import { readNmea } from './nmea.ts';
import type { Reading } from './reading.ts';

export const importFormats = ['gpx', 'csv', 'nmea'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** The format of a file by its first bytes (unpacked; a few KB are enough) and else by the ending of its name; null when neither tells. */
export function detectFormat(name: string, firstBytes: Uint8Array): ImportFormat | null {
  const text = new TextDecoder().decode(firstBytes.subarray(0, 8192)).trimStart();
  if (/^<\?xml|^<!--|^<([\w.-]+:)?gpx/.test(text)) return /<([\w.-]+:)?gpx[\s>]/.test(text) || /\.gpx(\.gz)?$/i.test(name) ? 'gpx' : null;
  if (/^\$[A-Z]{2}[A-Z0-9]{1,8},/m.test(text)) return 'nmea';
  if (isCsvHeader(text.split(/\r?\n/, 1)[0] ?? '')) return 'csv';
  const ending = /\.(gpx|csv|tsv|nmea|nma|log)(\.gz)?$/i.exec(name)?.[1]?.toLowerCase();
  if (ending === 'gpx') return 'gpx';
  if (ending === 'csv' || ending === 'tsv') return 'csv';
  return ending === undefined ? null : 'nmea';
}

/** Reads a file's bytes (unpacked) in a format. The options are for CSV, whose files do not say what they mean. */
export function readFormat(format: ImportFormat, bytes: AsyncIterable<Uint8Array>, options: CsvOptions = {}): Reading {
  switch (format) {
    case 'gpx':
      return readGpx(bytes);
    case 'csv':
      return readCsv(bytes, options);
    case 'nmea':
      return readNmea(bytes);
  }
}

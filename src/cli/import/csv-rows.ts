// Cuts delimited text into rows of cells as it streams in. Source: RFC 4180, with `,` `;` tab or `|` between cells. Knows nothing of what they mean.
import { Unreadable, readText } from './reading.ts';

const longestRow = 65_536;
const mostCells = 512;

export interface CsvRow {
  cells: string[];
  /** The line on which it begins, from 1. */
  line: number;
}

/** The character between the cells of a header: the one that occurs most outside of quotes. */
export function findDelimiter(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  return [',', ';', '\t', '|'].reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best));
}

/** Every row but empty ones; the delimiter is found in the first. Throws Unreadable for rows that are too long and for quotes that do not close. */
export async function* readRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRow & { delimiter: string }> {
  let delimiter: string | null = null;
  let line = 1;
  let text = '';
  let isLast = false;
  /** The next row, taken off `text`; null while it is not whole. */
  const next = (): (CsvRow & { delimiter: string }) | null => {
    for (;;) {
      delimiter ??= /[\r\n]/.test(text) || isLast ? findDelimiter(text.split(/[\r\n]/, 1)[0] ?? '') : null;
      const cut = delimiter === null ? null : cutRow(text, delimiter, line, isLast);
      if (delimiter === null || cut === null) return null;
      const row = { cells: cut.cells, line, delimiter };
      line += cut.lines;
      text = text.slice(cut.length);
      if (row.cells.some((cell) => cell !== '')) return row;
    }
  };
  for await (const piece of readText(bytes)) {
    text += piece;
    for (let row = next(); row !== null; row = next()) yield row;
    if (text.length > longestRow) throw new Unreadable(`line ${line}: a row of more than ${longestRow} characters`);
  }
  isLast = true;
  for (let row = next(); row !== null; row = next()) yield row;
}

/** The first row of a text, with the length and number of lines that it took; null when more text is needed to know where it ends. */
function cutRow(text: string, delimiter: string, line: number, isLast: boolean): { cells: string[]; length: number; lines: number } | null {
  const cells: string[] = [];
  let at = 0;
  let lines = 0;
  if (text === '') return null;
  for (;;) {
    let cell: string;
    if (text[at] === '"') {
      cell = '';
      for (at++; ; at++) {
        const close = text.indexOf('"', at);
        if (close < 0 || (close + 1 === text.length && !isLast)) {
          if (isLast) throw new Unreadable(`line ${line}: a quote that does not close`);
          return null;
        }
        cell += text.slice(at, close);
        at = close + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
      lines += cell.split('\n').length - 1;
    } else {
      const end = endOfCell(text, at, delimiter);
      cell = text.slice(at, end).trim();
      at = end;
    }
    if (cells.push(cell) > mostCells) throw new Unreadable(`line ${line}: more than ${mostCells} cells`);
    const after = text[at];
    if (after === undefined) return isLast ? { cells, length: at, lines } : null;
    if (after === delimiter) at++;
    else if (after === '\n') return { cells, length: at + 1, lines: lines + 1 };
    else if (after === '\r') {
      if (at + 1 === text.length && !isLast) return null;
      return { cells, length: at + (text[at + 1] === '\n' ? 2 : 1), lines: lines + 1 };
    } else throw new Unreadable(`line ${line}: text after a closing quote`);
  }
}

function endOfCell(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === delimiter || character === '\n' || character === '\r') return at;
  }
  return text.length;
}

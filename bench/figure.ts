// What a measurement found, as the table and the file show it. Knows nothing of how it was found.

/** What is asked of a figure: that its ratio to the limit, or the figure itself, is at least or at most so much. */
export interface Aim {
  of: 'ratio' | 'value';
  at: 'least' | 'most';
  bound: number;
}

export interface Figure {
  measurement: string;
  name: string;
  unit: string;
  /** Median of the rounds. */
  value: number;
  rounds: number[];
  /** What the same machine does without us, measured in turn with the figure. */
  limit: { name: string; value: number; rounds: number[] } | null;
  /** Figure to limit: median of the rounds' own ratios, and those. */
  ratio: number | null;
  ratios: number[];
  aim: Aim | null;
  met: boolean | null;
  /** What else was seen, by what it is: for whoever asks where the time goes. */
  details: Record<string, number>;
}

export interface Found {
  measurement: string;
  name: string;
  unit: string;
  rounds: number[];
  /** With as many rounds as the figure, each beside the one of the same place. */
  limit?: { name: string; rounds: number[] };
  aim?: Aim;
  details?: Record<string, number>;
}

export function figure({ measurement, name, unit, rounds, limit, aim, details = {} }: Found): Figure {
  const value = median(rounds);
  const ratios = limit === undefined ? [] : rounds.map((round, i) => round / (limit.rounds[i] ?? NaN));
  const ratio = ratios.length === 0 ? null : median(ratios);
  const judged = aim?.of === 'ratio' ? ratio : value;
  const met = aim === undefined || judged === null ? null : aim.at === 'least' ? judged >= aim.bound : judged <= aim.bound;
  return {
    measurement,
    name,
    unit,
    value,
    rounds,
    limit: limit === undefined ? null : { name: limit.name, value: median(limit.rounds), rounds: limit.rounds },
    ratio,
    ratios,
    aim: aim ?? null,
    met,
    details,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** The mean of each detail over several rounds. */
export function meanDetails(rounds: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const round of rounds) for (const [name, value] of Object.entries(round)) sums[name] = (sums[name] ?? 0) + value / rounds.length;
  return sums;
}

const three = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const numberText = (value: number): string => (Math.abs(value) >= 1000 ? whole : three).format(value);

/** A row of the table. */
export function rowOf({ name, unit, value, limit, ratio, ratios, aim, met }: Figure): string[] {
  const spread = ratios.length < 2 ? '' : `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`;
  const word = aim?.at === 'least' ? '>=' : '<=';
  return [
    name,
    `${numberText(value)} ${unit}`,
    limit === null ? '' : `${numberText(limit.value)} (${limit.name})`,
    ratio === null ? '' : ratio.toFixed(2),
    spread,
    aim === null ? '' : aim.of === 'ratio' ? `ratio ${word} ${aim.bound}` : `${word} ${numberText(aim.bound)} ${unit}`,
    met === null ? '' : met ? 'yes' : 'NO',
  ];
}

export const HEADINGS = ['figure', 'measured', 'limit', 'ratio', 'spread', 'aim', 'met'];

export const detailsText = ({ name, details }: Figure): string =>
  `${name}: ${Object.entries(details)
    .map(([what, value]) => `${what} ${numberText(value)}`)
    .join(', ')}`;

// What a measurement is to the program that runs them.
import type { Data } from './data.ts';
import type { Figure } from './figure.ts';

export interface Bench {
  /** Shorter and fewer rounds: figures to see that all works, not to quote. */
  readonly quick: boolean;
  readonly data: Data;
  /** Tells what is being done. */
  step(text: string): void;
  /** Notes a figure that this machine cannot have, and why. */
  skip(name: string, why: string): void;
}

export interface Measurement {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  measure(bench: Bench): Promise<Figure[]>;
}

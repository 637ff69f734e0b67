// Spares reading the state of trackers that report all the time from its text. The text in the database is what counts: what is
// remembered is used only while it is that very text, so a transaction that failed or another process do no harm.
import { freezeProgress, thawProgress, type Progress } from './progress.ts';

/** Trackers that are remembered: some 30 MB. */
const MOST = 10_000;

export class ProgressMemory {
  readonly #known = new Map<number, { text: string; progress: Progress }>();

  /** What a tracker's text says. It is the caller's to change, and forgotten until it is kept again. */
  take(trackerId: number, text: string): Progress {
    const known = this.#known.get(trackerId);
    this.#known.delete(trackerId);
    return known?.text === text ? known.progress : thawProgress(text);
  }

  /** The text of a state, which must not be changed any more. */
  keep(trackerId: number, progress: Progress): string {
    const text = freezeProgress(progress);
    if (this.#known.size >= MOST) for (const [oldest] of this.#known) if (this.#known.delete(oldest)) break;
    this.#known.set(trackerId, { text, progress });
    return text;
  }
}

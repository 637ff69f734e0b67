// The time of day, as a value that can be handed in, so that a test can own it.

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

// Chance that can be repeated: a seeded generator and a smooth wobble over time. Knows nothing of roads or vehicles.

/** Numbers from 0 (included) to 1 (excluded), always the same ones for a seed (the mulberry32 generator). */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function uniform(random: Random, least: number, most: number): number {
  return least + (most - least) * random();
}

export function pick<T>(random: Random, list: readonly T[]): T {
  const chosen = list[Math.floor(random() * list.length)];
  if (chosen === undefined) throw new RangeError('nothing to pick from');
  return chosen;
}

/** A smooth function of time in seconds: mean 0, standard deviation 0.9, never beyond 2.5; it drifts over tens of seconds to minutes. */
export function wobble(random: Random): (seconds: number) => number {
  const waves = [31, 83, 227, 641].map((period) => ({
    rate: (2 * Math.PI) / (period * uniform(random, 0.8, 1.25)),
    phase: uniform(random, 0, 2 * Math.PI),
  }));
  return (seconds) => {
    let sum = 0;
    for (const { rate, phase } of waves) sum += Math.sin(rate * (seconds % 8_640_000) + phase);
    return sum * 0.625;
  };
}

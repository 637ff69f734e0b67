// The edge of the inside: metres, m/s and milliseconds become what the interface shows.

/** Unix seconds of a moment in ms. */
export const seconds = (time: number): number => Math.floor(time / 1000);
export const secondsOrNull = (time: number | null): number | null => (time === null ? null : seconds(time));

/** Without the dust that arithmetic leaves: 6 decimals are a millimetre in a kilometre. */
const clean = (value: number): number => Math.round(value * 1e6) / 1e6;

export const kmh = (metresPerSecond: number): number => clean(metresPerSecond * 3.6);
export const kmhOrNull = (metresPerSecond: number | null): number | null => (metresPerSecond === null ? null : kmh(metresPerSecond));
/** Of what is computed from speeds that are kept in whole mm/s: 2 decimals. */
export const roundKmh = (metresPerSecond: number): number => Math.round(metresPerSecond * 360) / 100;

/** As exact as a speed is shown, so that one that was read and sent back is the same speed. */
export const metresPerSecond = (kilometresPerHour: number): number => clean(kilometresPerHour) / 3.6;
export const km = (metres: number): number => clean(metres / 1000);

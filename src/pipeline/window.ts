// The hours of the week in which a rule is told of, as a clock on the wall shows them.

export interface Window {
  /** Weekdays as a sum of 2^n: Sunday n = 1, Monday 2, ... Saturday 7. The day of a window is the one in which it begins. */
  daysWd: number;
  /** Times of day, seconds, 0 to 86400. A window whose end is not after its beginning runs past midnight; from = to is the whole day. */
  fromT: number;
  toT: number;
}

const DAY = 86_400;

/**
 * Whether `time`, ms, lies in the window, its end not included. It goes by the clock of the time zone: an hour that is put forward is
 * in no window, one that comes twice is in it twice, and the days on which that happens need nothing else.
 * @throws RangeError when there is no such time zone.
 */
export function isWithin({ daysWd, fromT, toT }: Window, time: number, timeZone: string): boolean {
  const { dayOfWeek, hour, minute, second } = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone);
  const clock = hour * 3600 + minute * 60 + second;
  // Temporal counts Monday 1 to Sunday 7.
  const begins = (day: number): boolean => (daysWd & (1 << ((day % 7) + 1))) !== 0;
  if (fromT % DAY === toT % DAY) return begins(dayOfWeek);
  if (fromT < toT) return begins(dayOfWeek) && clock >= fromT && clock < toT;
  const yesterday = dayOfWeek === 1 ? 7 : dayOfWeek - 1;
  return (begins(dayOfWeek) && clock >= fromT) || (begins(yesterday) && clock < toT);
}

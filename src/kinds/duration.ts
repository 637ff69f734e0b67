// `HH:MM:SS` and the seconds that it stands for: durations, whose hours may exceed 24, and times of day alike.

/** Of whole seconds, not negative. */
export function toDuration(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** Of a text that was checked to be one. */
export function secondsOf(duration: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = duration.split(':').map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}

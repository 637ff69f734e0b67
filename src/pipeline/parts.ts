// Cuts what was driven between two moments at the quarters of an hour, in whole numbers whose sums are kept.
// Knows nothing of how it was found that it was driven.
import { BUCKET, type FinalPart, type Part } from './outcome.ts';

/** A stretch of a trip: whole mm and ms, m/s. The time that is not driven is idle. */
export interface Stretch {
  from: number;
  to: number;
  distance: number;
  driveTime: number;
  maxSpeed: number;
}

const quarterOf = (time: number): number => time - (((time % BUCKET) + BUCKET) % BUCKET);

/** Adds a stretch of the trip to its parts. Stretches come in the order of time, each from where the one before ended. */
export function addStretch(parts: Part[], trip: number, { from, to, distance, driveTime, maxSpeed }: Stretch): void {
  let done = { time: from, distance: 0, driveTime: 0 };
  while (done.time < to) {
    const bucket = quarterOf(done.time);
    const time = Math.min(to, bucket + BUCKET);
    const share = (time - from) / (to - from);
    const next = { time, distance: Math.round(distance * share), driveTime: Math.round(driveTime * share) };
    const part = partOf(parts, trip, bucket);
    const driven = next.driveTime - done.driveTime;
    part.distance += next.distance - done.distance;
    part.driveTime += driven;
    part.idleTime += next.time - done.time - driven;
    part.maxSpeed = Math.max(part.maxSpeed, maxSpeed);
    done = next;
  }
}

function partOf(parts: Part[], trip: number, bucket: number): Part {
  const last = parts.at(-1);
  if (last?.bucket === bucket) return last;
  const part = { trip, bucket, distance: 0, driveTime: 0, idleTime: 0, maxSpeed: 0 };
  parts.push(part);
  return part;
}

/** Moves the parts that end at or before `time` to the final ones: nothing will be added to them any more. */
export function finish(parts: Part[], time: number, made: number, final: FinalPart[]): void {
  while (parts[0] !== undefined && parts[0].bucket + BUCKET <= time) final.push({ ...(parts.shift() as Part), made });
}

/** Moves all of them. */
export function finishAll(parts: Part[], made: number, final: FinalPart[]): void {
  for (const part of parts.splice(0)) final.push({ ...part, made });
}

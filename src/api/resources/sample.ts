// `sample`: kept per account, to try formats and errors on.
import type { Clock } from '../../basics/clock.ts';
import { alter } from '../../kinds/input.ts';
import { FIRST_SAMPLE, sample } from '../../kinds/sample.ts';
import type { Storage } from '../../storage/storage.ts';
import { seconds } from '../show.ts';
import type { Resource, Shown } from '../resource.ts';

export function sampleResource(storage: Pick<Storage, 'samples'>, clock: Clock): Resource {
  return {
    path: 'sample',
    get: {
      kind: sample,
      async read({ account }): Promise<Shown> {
        const kept = await storage.samples.of(account.id);
        const document = kept === undefined ? { ts: seconds(account.created_time), ...FIRST_SAMPLE } : (JSON.parse(kept.document) as Shown);
        return { ts: document['ts'], url: 'sample', trips: document['trips'], driver: document['driver'] };
      },
    },
    put: {
      async change({ account }, value, { ts, trips, driver }) {
        const before = { trips, driver };
        const after = alter(before, value);
        if (JSON.stringify(after) === JSON.stringify(before)) return undefined;
        await storage.samples.put(account.id, JSON.stringify({ ts: Math.max(seconds(clock()), ts as number), ...after }));
        return undefined;
      },
    },
  };
}

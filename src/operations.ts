// Everything that storage may be asked to run, tables and pipeline together: the module that storage threads load.
import { commit } from './pipeline/commit.ts';
import { behind, catchUp, forget } from './pipeline/rebuild.ts';
import { noteOffline, noteTripEnd, quietTrips, silent } from './pipeline/silence.ts';
import type { Bound } from './storage/operation.ts';
import { tables } from './storage/tables/tables.ts';

export const operations = { ...tables, pipeline: { commit, behind, catchUp, forget, silent, noteOffline, quietTrips, noteTripEnd } };

export type Store = Bound<typeof operations>;

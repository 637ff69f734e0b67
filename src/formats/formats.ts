// Every format of the interface, each once. A new one is one file and one line here.
import type { OutputFormat, StreamFormat } from './format.ts';
import { csv } from './csv.ts';
import { geojson } from './geojson.ts';
import { gpx } from './gpx.ts';
import { html } from './html.ts';
import { json } from './json.ts';
import { kml } from './kml.ts';
import { xml } from './xml.ts';

/** Of equally welcome ones the earlier is taken; the first is what a client gets that asks for nothing. */
export const OUTPUT_FORMATS: readonly [OutputFormat, ...OutputFormat[]] = [json, xml, html];

export const STREAM_FORMATS: readonly StreamFormat[] = [geojson, gpx, kml, csv];

// A client that exports a record: `node bench/export.ts URL TOKEN` reads the CSV or the JSON pages at URL to the end, over and over,
// until it is told to stop; then it prints how many positions a second came.
const [url = '', token = ''] = process.argv.slice(2);
const headers = { authorization: `X-Token ${token}` };
const began = performance.now();
let positions = 0;

process.on('SIGTERM', () => {
  process.stdout.write(`${Math.round(positions / ((performance.now() - began) / 1000))}\n`);
  process.exit(0);
});

async function open(address: string): Promise<Response> {
  const answer = await fetch(address, { headers });
  if (!answer.ok || answer.body === null) throw new Error(`${address} answers ${answer.status}`);
  return answer;
}

/** Counts lines, and looks at nothing else: the client's own work is not to be what is measured. */
async function readCsv(): Promise<void> {
  const { body } = await open(url);
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>)
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) positions++;
}

/** Finds the next page by the end of the text, without parsing all of it. */
async function readPages(): Promise<void> {
  for (let address: string | null = url; address !== null;) {
    const text = await (await open(address)).text();
    const [, next = 'null'] = /"next_url":(null|"(?:[^"\\]|\\.)*")\}\s*$/.exec(text.slice(-2000)) ?? [];
    positions += text.split('"recv_ts"').length - 1;
    const link = JSON.parse(next) as string | null;
    address = link === null ? null : new URL(link, address).href;
  }
}

for (;;) await(url.includes('_format=csv') ? readCsv() : readPages());

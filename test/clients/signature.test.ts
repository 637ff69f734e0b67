// The lines of docs/messages.md that verify a signature, run as they stand there on what the channel itself sent.
// Languages that are not installed are passed over, and said to be.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Agent } from 'undici';
import { httpChannel } from '../../src/notify/channels/http.ts';
import { HttpReceiver } from '../receivers/http.ts';

const manual = readFileSync(join(import.meta.dirname, '../../docs/messages.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'waypost-signature-'));
after(() => rmSync(folder, { recursive: true }));

function block(language: string): string {
  const text = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(manual)?.[1];
  assert.ok(text !== undefined, `the manual has no lines in ${language}`);
  return text;
}

/** A signed message as a receiver has it, and whether it is to be believed. */
interface Case {
  secret: string;
  id: string;
  timestamp: string;
  signature: string;
  body: string;
  isGenuine: boolean;
}
const cases: Case[] = [];

before(async () => {
  const receiver = await HttpReceiver.open();
  const secret = randomBytes(32);
  const sendAt = async (time: number): Promise<Case> => {
    const parts = { dispatcher: new Agent(), secretOf: () => Promise.resolve(secret), clock: () => time, version: '0' };
    const message = {
      uid: 'msg_ab-c_1',
      accountId: 1,
      address: receiver.url,
      sentence: '',
      pairs: [['name', 'Füchse & "Dächse"']],
    } as const;
    await httpChannel(parts)(message, AbortSignal.timeout(5000));
    await parts.dispatcher.close();
    const { headers, body = '' } = receiver.messages.at(-1) ?? {};
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => String(headers?.[`webhook-${name}`]));
    return {
      secret: `whsec_${secret.toString('base64')}`,
      id: id ?? '',
      timestamp: timestamp ?? '',
      signature: signature ?? '',
      body,
      isGenuine: true,
    };
  };
  const now = Date.now();
  const genuine = await sendAt(now);
  const forged = (more: Partial<Case>): Case => ({ ...genuine, isGenuine: false, ...more });
  cases.push(
    genuine,
    { ...genuine, signature: `v1,${randomBytes(32).toString('base64')} v2,abc ${genuine.signature}` },
    await sendAt(now - 250_000),
    await sendAt(now + 250_000),
    { ...(await sendAt(now - 360_000)), isGenuine: false },
    { ...(await sendAt(now + 360_000)), isGenuine: false },
    forged({ body: `${genuine.body}&late=1` }),
    forged({ body: '' }),
    forged({ id: 'msg_other' }),
    forged({ timestamp: String(Number(genuine.timestamp) + 1) }),
    forged({ timestamp: '' }),
    forged({ timestamp: 'now' }),
    forged({ secret: `whsec_${randomBytes(32).toString('base64')}` }),
    forged({ signature: '' }),
    forged({ signature: 'v1,' }),
    forged({ signature: genuine.signature.slice(0, -1) }),
    forged({ signature: genuine.signature.replace('v1', 'v2') }),
  );
  await receiver.close();
});

/** A program around the lines: it reads a case a line, its fields between tabs and the body as base64, and says true or false of each. */
interface Trial {
  language: string;
  version: readonly [command: string, ...words: string[]];
  file: string;
  program: (lines: string) => string;
  run: readonly [command: string, ...words: string[]];
}

const trials: readonly Trial[] = [
  {
    language: 'python',
    version: ['python3', '--version'],
    file: 'verify.py',
    program: (lines) => `import sys
${lines}
for line in sys.stdin.read().splitlines():
    secret, id, sent, signature, body = line.split("\\t")
    headers = {"webhook-id": id, "webhook-timestamp": sent, "webhook-signature": signature}
    print("true" if verify(secret, headers, base64.b64decode(body)) else "false")
`,
    run: ['python3', 'verify.py'],
  },
  {
    language: 'js',
    version: [process.execPath, '--version'],
    file: 'verify.mjs',
    program: (lines) => `import { readFileSync } from 'node:fs';
${lines}
for (const line of readFileSync(0, 'utf8').split('\\n').filter(Boolean)) {
  const [secret, id, sent, signature, body] = line.split('\\t');
  const headers = { 'webhook-id': id, 'webhook-timestamp': sent, 'webhook-signature': signature };
  console.log(verify(secret, headers, Buffer.from(body, 'base64')));
}
`,
    run: [process.execPath, 'verify.mjs'],
  },
  {
    language: 'php',
    version: ['php', '--version'],
    file: 'verify.php',
    program: (lines) => `<?php
${lines}
while (($line = fgets(STDIN)) !== false) {
    [$secret, $id, $sent, $signature, $body] = explode("\\t", rtrim($line, "\\n"));
    $headers = ['webhook-id' => $id, 'webhook-timestamp' => $sent, 'webhook-signature' => $signature];
    echo verify($secret, $headers, base64_decode($body)) ? "true\\n" : "false\\n";
}
`,
    run: ['php', 'verify.php'],
  },
  {
    language: 'go',
    version: ['go', 'version'],
    file: 'verify.go',
    program: (lines) => `${lines.replace('package webhook', 'package main').replace('import (', 'import (\n\t"bufio"\n\t"fmt"\n\t"os"')}
func main() {
	for scanner := bufio.NewScanner(os.Stdin); scanner.Scan(); {
		field := strings.Split(scanner.Text(), "\\t")
		body, _ := base64.StdEncoding.DecodeString(field[4])
		headers := map[string]string{"webhook-id": field[1], "webhook-timestamp": field[2], "webhook-signature": field[3]}
		fmt.Println(Verify(field[0], headers, body))
	}
}
`,
    run: ['go', 'run', 'verify.go'],
  },
  {
    language: 'java',
    version: ['java', '--version'],
    file: 'Main.java',
    // A file that is run as it is begins with the class that is run.
    program: (lines) =>
      lines.replace(
        'final class Webhook',
        `class Main {
    public static void main(String[] words) throws Exception {
        for (String line : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\\n")) {
            String[] field = line.split("\\t", -1);
            Map<String, String> headers = Map.of("webhook-id", field[1], "webhook-timestamp", field[2], "webhook-signature", field[3]);
            System.out.println(Webhook.verify(field[0], headers, Base64.getDecoder().decode(field[4])));
        }
    }
}

final class Webhook`,
      ),
    run: ['java', 'Main.java'],
  },
];

test('the message that the manual shows is one that could be sent', () => {
  const example = block('http');
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(example)?.[1] ?? '';
  const secret = Buffer.from(/`whsec_([^`]{44})`/.exec(manual)?.[1] ?? '', 'base64');
  const signed = `${header('webhook-id')}.${header('webhook-timestamp')}.${example.split('\n\n')[1]?.trim()}`;
  assert.equal(header('webhook-signature'), `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`);
});

for (const { language, version, file, program, run } of trials)
  test(`signatures are verified in ${language}`, (t) => {
    const [command, ...words] = version;
    if (spawnSync(command, words).status !== 0) return t.skip(`there is no ${language} here`);
    writeFileSync(join(folder, file), program(block(language)));
    const input = cases.map(({ secret, id, timestamp, signature, body }) =>
      [secret, id, timestamp, signature, Buffer.from(body).toString('base64')].join('\t'),
    );
    const [runner, ...rest] = run;
    const { stdout, stderr } = spawnSync(runner, rest, {
      cwd: folder,
      input: `${input.join('\n')}\n`,
      encoding: 'utf8',
      timeout: 120_000,
      // What a language keeps for itself goes with the folder.
      env: { ...process.env, GOCACHE: join(folder, 'go'), GOFLAGS: '-mod=mod', GO111MODULE: 'off' },
    });
    assert.deepEqual(stdout.trim().split('\n'), cases.map(({ isGenuine }) => String(isGenuine)), stderr); // prettier-ignore
  });

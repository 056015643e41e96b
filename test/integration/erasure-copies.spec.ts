/** The copy of a long answer on disk while it arrives: it is real, and only the process that wrote it can read it. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { erasing, naming, PERSON, SAID } from '../support/erasing.js';

const FDS = '/proc/self/fd';
/** The size of a piece in the file: each begins at a multiple of it. */
const SLOT_BYTES = 36 * 1024;
const isLinux = process.platform === 'linux';
if (!isLinux) console.warn('SKIPPED, there is no /proc: the temporary file of a long answer');

/** The temporary files of long answers that this process has open: they have no name any more. */
function temporaryFiles(): Buffer[] {
  return readdirSync(FDS).flatMap((fd) => {
    try {
      const path = readlinkSync(join(FDS, fd));
      return /weir-[0-9a-f]{24}\.tmp \(deleted\)$/.test(path) ? [readFileSync(join(FDS, fd))] : [];
    } catch {
      // The descriptor with which the folder was read is closed.
      return [];
    }
  });
}

const bytesOnDisk = (): number => temporaryFiles().reduce((sum, { length }) => sum + length, 0);

/** Everything that a reader without the key can make of a file. */
function readable(file: Buffer): string {
  const slots = Array.from({ length: Math.ceil(file.length / SLOT_BYTES) }, (_, slot) =>
    file.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES),
  );
  return [file, ...slots.map(inflated)].map((bytes) => bytes.toString('latin1')).join('\n');
}

function inflated(bytes: Buffer): Buffer {
  try {
    return inflateRawSync(bytes);
  } catch {
    return Buffer.alloc(0);
  }
}

(isLinux ? describe : describe.skip)('The temporary file of a long answer', () => {
  const { app, upstream } = appWithUpstream();
  const { erase, rows } = erasing(app);

  it('contains nothing of the person that can be read, and the stored answer is emptied by an erasure', async () => {
    // Random, so that compression does not keep it in memory; the words are in every piece.
    const said = Array.from({ length: 600 }, () => `${randomBytes(600).toString('base64')} ${SAID}`).join(' ');
    // Earlier tests of the same process may have left such files.
    const before = bytesOnDisk();
    const goOn = Promise.withResolvers<void>();
    upstream().answer(async (response) => {
      const choices = [{ index: 0, message: { role: 'assistant', content: said }, finish_reason: 'stop' }];
      const body = JSON.stringify({ id: 'c', object: 'chat.completion', model: 'm', choices });
      response.writeHead(200, { 'content-type': 'application/json' }).write(body.slice(0, -2));
      await goOn.promise;
      response.end(body.slice(-2));
    });
    const answer = fetch(`${app().url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-service-key': app().bootstrap.keys.production,
        'content-type': 'application/json',
        'x-service-metadata': JSON.stringify({ user_id: PERSON }),
      },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
    });
    while (bytesOnDisk() <= before) await new Promise((resolve) => setImmediate(resolve));
    expect(naming(temporaryFiles().map(readable))).toEqual([]);
    goOn.resolve();
    expect((await (await answer).text()).includes(SAID)).toBe(true);

    const { counts } = await erase({ metadata: { user_id: PERSON } });
    expect(counts).toMatchObject({ events: 2, bodies: 2 });
    expect(naming([...temporaryFiles().map(readable), ...(await rows()), ...app().logs])).toEqual([]);
  }, 60_000);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { findConnection, type ServerFlags } from './connection.js';

const A = 'https://a.example';
const B = 'https://b.example';

describe('The token for a server', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'weir-contexts-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** The connection of a user who is logged in to two servers; the last one is current. */
  function connection(flags: ServerFlags, env: Record<string, string> = {}, more: Record<string, object> = {}) {
    mkdirSync(join(home, 'weir'), { recursive: true });
    const contexts = { a: { url: A, token: 'of-a' }, b: { url: B, token: 'of-b' }, ...more };
    const config = JSON.stringify({ version: 1, current: 'b', contexts });
    writeFileSync(join(home, 'weir', 'config.json'), config, { mode: 0o600 });
    const nowhere = new Writable();
    return findConnection(flags, {
      ...{ stdin: Readable.from([]), stdout: nowhere, stderr: nowhere, cwd: home, nowMs: () => 0 },
      ...{ env: { XDG_CONFIG_HOME: home, ...env }, signal: new AbortController().signal },
    });
  }

  it('is the one that was saved for its URL, also if another server is current', async () => {
    expect(await connection({})).toEqual({ url: B, token: 'of-b' });
    expect(await connection({ url: A })).toEqual({ url: A, token: 'of-a' });
    expect(await connection({}, { WEIR_URL: `${A}/` })).toEqual({ url: A, token: 'of-a' });
    expect(await connection({ context: 'a' })).toEqual({ url: A, token: 'of-a' });
  });

  it('is sent to no other server', async () => {
    expect(await connection({ url: 'https://c.example' })).toEqual({ url: 'https://c.example' });
    expect(await connection({ url: 'https://a.example.org' })).toEqual({ url: 'https://a.example.org' });
    expect(await connection({ url: B, context: 'a' })).toEqual({ url: B });
  });

  it('is not looked for under a name that every object has', async () => {
    await expect(connection({ context: 'constructor' })).rejects.toThrow('there is no context "constructor"');
  });

  it('must be chosen if several were saved for the URL', async () => {
    const more = { other: { url: A, token: 'of-another-account' } };
    await expect(connection({ url: A }, {}, more)).rejects.toThrow(
      `the contexts a, other have the URL ${A}: choose one with --context`,
    );
    expect(await connection({ url: A, context: 'other' }, {}, more)).toEqual({ url: A, token: 'of-another-account' });
    expect(await connection({ url: A }, { WEIR_TOKEN: 'given' }, more)).toEqual({ url: A, token: 'given' });
  });
});

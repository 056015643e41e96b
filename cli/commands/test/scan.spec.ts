import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import { runOnLetters as runWeir, type WeirOptions } from '../../../test/support/run-weir.js';

const lines = (...records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
const parsed = (stdout: string): unknown[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
const scan = async (stdin: WeirOptions['stdin'], ...flags: readonly string[]) =>
  runWeir(['scan', ...flags], stdin === undefined ? {} : { stdin });

describe('weir scan', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'weir-scan-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('prints the offsets of the findings for each text, in order and without the text', async () => {
    const { exit, stdout, stderr } = await scan(lines({ id: 'a', text: 'ax' }, { id: 7, text: 'nothing' }));
    expect(exit).toBe(0);
    expect(parsed(stdout)).toEqual([
      { id: 'a', findings: [{ detector: 'some-letters', code: 'X', start: 1, end: 2, score: 0.75 }] },
      { id: 7, findings: [] },
    ]);
    expect(stderr).toBe('exit 0: 2 texts scanned, 1 finding\n');
  });

  it('counts offsets in UTF-16 units, even after characters outside the basic plane', async () => {
    const { stdout } = await scan(lines({ id: 1, text: '😀x' }));
    expect(parsed(stdout)).toMatchObject([{ findings: [{ start: 2, end: 3 }] }]);
  });

  it('prints matched text if --show-content is set', async () => {
    const { stdout } = await scan(lines({ id: 1, text: 'aX' }), '--show-content');
    expect(parsed(stdout)).toMatchObject([{ findings: [{ text: 'X' }] }]);
  });

  it('numbers texts without an id by their line', async () => {
    expect(parsed((await scan(`\n${lines({ text: '' })}`)).stdout)).toEqual([{ id: 2, findings: [] }]);
  });

  it('finds codes that are off by default if --all-codes is set, and refuses it together with --config', async () => {
    const { stdout } = await scan(lines({ text: 'xY' }), '--all-codes');
    expect(parsed(stdout)).toMatchObject([{ findings: [{ code: 'X' }, { code: 'Y' }] }]);
    expect((await scan('', '--all-codes', '--config', 'policy.yaml')).exit).toBe(2);
  });

  it('accepts detector names with a dash or an underscore', async () => {
    expect((await scan('', '--detectors', 'some-letters')).exit).toBe(0);
    expect((await scan('', '--detectors', 'some_letters')).exit).toBe(0);
  });

  it('reports a failed scan instead of a clean text, and continues', async () => {
    const { exit, stdout, stderr } = await scan(lines({ id: 1, text: 'Zx' }, { id: 2, text: 'x' }));
    expect(exit).toBe(4);
    expect(parsed(stdout)).toMatchObject([
      { id: 1, findings: [], failed: [{ detector: 'some-letters', reason: 'failed' }] },
      { id: 2, findings: [{ code: 'X' }] },
    ]);
    expect(stderr).toContain('exit 4: 1 scan failed; 2 texts scanned');
    expect(stderr).not.toContain('Zx');
  });

  it.each([
    ['no JSON', '{"text": tru', 'line 3 of stdin is not JSON, see column'],
    ['no object', '17', 'line 3 of stdin is not {id, text}: it is not an object'],
    ['no text', '{"id": 1}', 'line 3 of stdin is not {id, text}: "text" is missing'],
    ['an id that is an object', '{"id": {}, "text": ""}', '"id" is missing or of the wrong type'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'line 3 of stdin is not UTF-8'],
  ])('stops at a malformed line (%s) and names it without quoting it', async (_what, line, why) => {
    const { exit, stdout, stderr } = await scan([lines({ text: 'x' }), '\n', line]);
    expect(exit).toBe(2);
    expect(parsed(stdout)).toHaveLength(1);
    expect(stderr).toContain(why);
    expect(stderr).not.toContain('tru');
  });

  it('reads files in the order of the arguments, and stdin as "-"', async () => {
    await writeFile(join(folder, 'one.jsonl'), `\ufeff${lines({ id: 'one', text: '' }).replace('\n', '\r\n')}`);
    const { stdout } = await runWeir(['scan', 'one.jsonl', '-'], { stdin: lines({ id: 'in', text: '' }), cwd: folder });
    expect(parsed(stdout)).toMatchObject([{ id: 'one' }, { id: 'in' }]);
  });

  it('uses the detectors of a policy with their keys, codes and options', async () => {
    await writeFile(
      join(folder, 'policy.yaml'),
      [
        'apiVersion: weir/v1',
        'kind: Policy',
        'metadata: { id: test }',
        'environment: staging',
        'default: allow',
        'extends: [shared.yaml]',
      ].join('\n'),
    );
    await writeFile(
      join(folder, 'shared.yaml'),
      [
        'apiVersion: weir/v1',
        'kind: Policy',
        'metadata: { id: shared }',
        'detectors:',
        '  mine: { plugin: some-letters@^1, only_upper: true, codes: [Y] }',
        'rules:',
        '  - id: letters.flag',
        '    stage: pre',
        '    severity: low',
        '    when: { all: [{ mine.count: { gt: 0 } }] }',
        '    then: { action: flag }',
        '    on_unknown: no_match',
      ].join('\n'),
    );
    const options = { stdin: lines({ text: 'xXyY' }), cwd: folder };
    const { exit, stdout, stderr } = await runWeir(['scan', '--config', 'policy.yaml'], options);
    expect(stderr).toContain('exit 0');
    expect(exit).toBe(0);
    expect(parsed(stdout)).toMatchObject([{ findings: [{ detector: 'mine', code: 'Y', start: 3 }] }]);
    const other = await runWeir(['scan', '--config', 'policy.yaml', '--detectors', 'pii'], options);
    expect(other.stderr).toContain('the policy has no detector "pii"; it has: mine');
  });

  it('exits 3 for a policy that does not compile, and shows the line', async () => {
    await writeFile(join(folder, 'policy.yaml'), 'apiVersion: weir/v1\nkind: Policy\nmetdata: {}\n');
    const { exit, stderr } = await runWeir(['scan', '--config', 'policy.yaml'], { cwd: folder });
    expect(exit).toBe(3);
    expect(stderr).toContain('policy.yaml:3');
    expect(stderr).toContain('exit 3: policy.yaml could not be compiled');
  });

  it('wraps the records into one object under --json', async () => {
    const { stdout } = await scan(lines({ id: 1, text: 'x' }, { id: 2, text: '' }), '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      records: [{ id: 1 }, { id: 2 }],
      summary: { texts: 2, findings: 1, failed: 0 },
    });
    expect(JSON.parse((await scan('', '--json')).stdout)).toMatchObject({ records: [] });
  });

  it('exits 1 because of findings only if --fail-on-findings is set', async () => {
    expect((await scan(lines({ text: 'x' }), '--fail-on-findings')).exit).toBe(1);
    expect((await scan(lines({ text: '' }), '--fail-on-findings')).exit).toBe(0);
  });

  it('exits 7 if --fail-on-findings is set and there is no text, as after a command that failed', async () => {
    expect(await scan('', '--fail-on-findings')).toMatchObject({
      exit: 7,
      stderr: 'exit 7: nothing was scanned: there is no text\n',
    });
    expect((await scan('')).exit).toBe(0);
  });

  it('stops reading input while the reader of the output is blocked', async () => {
    let produced = 0;
    const endless = (function* () {
      for (; produced < 100_000; produced++) yield lines({ id: produced, text: 'x' });
    })();
    let taken = 0;
    let release: () => void = () => undefined;
    const stuck = new Promise<void>((resolve) => (release = resolve));
    const slow = new Writable({
      highWaterMark: 100,
      write(_chunk, _encoding, done) {
        if (++taken < 3) return done();
        release();
      },
    });
    const interrupt = new AbortController();
    const running = runWeir(['scan'], { stdin: endless, stdout: slow, signal: interrupt.signal });
    await stuck;
    await new Promise((resolve) => setImmediate(resolve));
    expect(produced).toBeLessThan(200);
    slow.destroy();
    expect((await running).exit).toBe(141);
  });

  it('shows progress on a terminal during long work, and clears it at the end', async () => {
    let nowMs = 0;
    const { stderr } = await runWeir(['scan'], {
      stdin: lines(...Array.from({ length: 5 }, () => ({ text: 'x' }))),
      terminal: true,
      nowMs: () => (nowMs += 400),
    });
    expect(stderr).toMatch(/\r\u001b\[K\d texts, 0\.0 MB/);
    expect(stderr).toMatch(/\r\u001b\[K[^\r]*exit 0/);
  });

  it('prints the same results for every split of the input into chunks', async () => {
    const input = Buffer.from(lines({ id: 'é', text: 'x😀x' }, { id: 2, text: 'ü' }, { id: 3, text: 'X\nX' }));
    const whole = (await scan([input])).stdout;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(input.length), { maxLength: 8 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), input.length];
        const chunks = places.slice(1).map((to, index) => input.subarray(places[index], to));
        expect((await scan(chunks)).stdout).toBe(whole);
      }),
      { numRuns: 40 },
    );
  });
});

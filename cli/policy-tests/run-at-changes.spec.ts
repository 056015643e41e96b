import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAtChanges } from './run-at-changes.js';

describe('runAtChanges', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-watch-'));
    writeFileSync(join(folder, 'a.yaml'), 'one');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('runs again after a file is changed, replaced, restored by git, added and deleted, and ends on abort', async () => {
    const git = (...args: string[]): unknown =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@acme.example', ...args]);
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '-m', 'base');
    const changes = [
      () => writeFileSync(join(folder, 'a.yaml'), 'other'),
      () => {
        writeFileSync(`${folder}.new`, 'three');
        renameSync(`${folder}.new`, join(folder, 'a.yaml'));
      },
      () => git('checkout', '--quiet', '.'),
      () => writeFileSync(join(folder, 'b.yaml'), 'new'),
      () => rmSync(join(folder, 'b.yaml')),
    ];
    const stop = new AbortController();
    let runs = 0;
    // Each run makes the next change, so this ends only if every change is noticed.
    await runAtChanges(
      folder,
      () => {
        const change = changes[runs++];
        if (change === undefined) stop.abort();
        else change();
        return Promise.resolve();
      },
      stop.signal,
    );
    expect(runs).toBe(changes.length + 1);
  });

  it('does not run again because of the file that each run writes', async () => {
    const [policy, report] = [join(folder, 'a.yaml'), join(folder, 'report.xml')];
    const stop = new AbortController();
    const { signal } = stop;
    const listen = signal.addEventListener.bind(signal);
    // Only while it waits for a change, `runAtChanges` listens to the signal.
    const addEventListener = (...given: Parameters<typeof listen>): void => {
      writeFileSync(policy, 'other');
      listen(...given);
    };
    Object.defineProperty(signal, 'addEventListener', { value: addEventListener });
    const seen: string[] = [];
    const run = (): Promise<void> => {
      seen.push(readFileSync(policy, 'utf8'));
      writeFileSync(report, seen.join(' '));
      if (seen.length === 2) stop.abort();
      return Promise.resolve();
    };
    await runAtChanges(folder, run, signal, report);
    expect(seen).toEqual(['one', 'other']);
  });
});

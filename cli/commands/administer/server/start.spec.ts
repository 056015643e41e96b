import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir } from '../../../../test/support/run-weir.js';

/** The niceness of the threads on which V8 collects garbage and compiles. */
function nicenessOfV8(): number[] {
  return readdirSync('/proc/self/task')
    .filter((thread) => readFileSync(`/proc/self/task/${thread}/comm`, 'latin1').trim() === 'V8Worker')
    .map((thread) => getPriority(Number(thread)));
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('weir server start', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-server-start-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('lowers the priority of the threads of V8 before it does anything else', async () => {
    const before = nicenessOfV8();
    expect(before.length).toBeGreaterThan(0);
    // Without a policies folder the service does not start, so nothing listens and no database is opened.
    const env = { WEIR_POLICIES_DIR: join(folder, 'none'), WEIR_DATA_DIR: join(folder, 'data') };
    const { exit } = await runWeir(['server', 'start'], { cwd: folder, env });
    expect(exit).not.toBe(0);
    expect(nicenessOfV8()).toEqual(before.map((nice) => Math.min(nice + 5, 19)));
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { lowerV8ThreadPriority } from './thread-priority.js';

/** The niceness of V8's threads, as reported by the system. */
function nicenessOfV8(): number[] {
  return readdirSync('/proc/self/task')
    .filter((thread) => readFileSync(`/proc/self/task/${thread}/comm`, 'latin1').trim() === 'V8Worker')
    .map((thread) => getPriority(Number(thread)));
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('The threads on which V8 collects garbage and compiles', () => {
  it('get a lower priority than the thread that answers calls, whose priority does not change', () => {
    const [own, before] = [getPriority(), nicenessOfV8()];
    expect(before.length).toBeGreaterThan(0);

    lowerV8ThreadPriority();

    expect(nicenessOfV8()).toEqual(before.map((nice) => Math.min(nice + 5, 19)));
    expect(getPriority()).toBe(own);
  });
});

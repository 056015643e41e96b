import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir } from '../../../../test/support/run-weir.js';
import { pluginFiles } from '../../../templates/plugin-files.js';

describe('weir plugin new', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-plugin-'));
    await mkdir(join(folder, 'plugins'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('writes code, spec and page, and prints the next steps', async () => {
    const { exit, stdout } = await runWeir(['plugin', 'new', 'order-number'], { cwd: folder });
    expect(exit).toBe(0);
    expect((await readdir(join(folder, 'plugins/order-number'))).sort()).toEqual([
      'order-number.md',
      'order-number.spec.ts',
      'order-number.ts',
    ]);
    expect(stdout).toContain('plugins/order-number/order-number.ts');
    expect(stdout).toContain('plugins/light-plugins.ts');
    expect(await readFile(join(folder, 'plugins/order-number/order-number.ts'), 'utf8')).toContain('ORDER_NUMBER');
  });

  it('overwrites no file', async () => {
    await mkdir(join(folder, 'plugins/mine'));
    await writeFile(join(folder, 'plugins/mine/mine.ts'), 'precious');
    const { exit, stderr } = await runWeir(['plugin', 'new', 'mine'], { cwd: folder });
    expect(exit).toBe(2);
    expect(stderr).toContain('plugins/mine exists already: nothing was written');
    expect(await readdir(join(folder, 'plugins/mine'))).toEqual(['mine.ts']);
    expect(await readFile(join(folder, 'plugins/mine/mine.ts'), 'utf8')).toBe('precious');
  });

  it('refuses a folder without plugins', async () => {
    const { exit, stderr } = await runWeir(['plugin', 'new', 'mine'], { cwd: tmpdir() });
    expect(exit).toBe(2);
    expect(stderr).toContain('there is no folder "plugins" here');
  });

  it.each(['../evil', 'Upper', 'two--dashes', 'x/y', '-x'])('refuses %s as an id', async (id) => {
    expect((await runWeir(['plugin', 'new', '--', id], { cwd: folder })).exit).toBe(2);
    expect(await readdir(join(folder, 'plugins'))).toEqual([]);
  });

  it('writes a detector that finds the values in its examples', () => {
    const [code] = pluginFiles('order-number');
    const examples = code!.text.match(/\{ text: '[^']+', finds: \[.*\]/g) ?? [];
    const pattern = new RegExp(/regex: \/(.+)\/,/.exec(code!.text)![1]!, 'g');
    const wrong = examples.filter((example) => {
      const [, text, finds] = /text: '([^']+)', finds: \[(.*)\]/.exec(example)!;
      const wanted = [...finds!.matchAll(/text: '([^']+)'/g)].map((match) => match[1]);
      return JSON.stringify(text!.match(pattern) ?? []) !== JSON.stringify(wanted);
    });
    expect(examples.length).toBeGreaterThan(1);
    expect(wrong).toEqual([]);
  });

  it('writes the purpose of the folder in two sentences at the top of its first file', () => {
    const [code] = pluginFiles('order-number');
    const [, head = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(code!.text) ?? [];
    expect(head.match(/\w{2,} [^.]+ \w+\.(?=\s)/g)).toHaveLength(2);
  });
});

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PLUGINS } from '../../plugins/index.js';
import { PoliciesFolder } from '../support/policies-folder.js';

/** Every command of the guide is run as written, on a copy of the shipped policies in a new repository. */
const GUIDE = readFileSync('docs/guides/test-policies.md', 'utf8');
const COMMANDS = [...GUIDE.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap((block) =>
  block[1]!.split('\n').filter((line) => line.startsWith('weir ')),
);

describe('The guide to testing policies', () => {
  let folder: PoliciesFolder;
  beforeAll(async () => {
    folder = await PoliciesFolder.create({});
    cpSync('policies', path.join(folder.root, 'policies'), { recursive: true });
    const part = 'content-disposition: form-data; name="file"; filename="f"';
    writeFileSync(path.join(folder.root, 'upload.bin'), `--x\r\n${part}\r\n\r\nhello\r\n--x--\r\n`);
    folder.commit();
  });
  afterAll(() => folder.remove());

  it('shows more than ten commands', () => {
    expect(COMMANDS.length).toBeGreaterThan(10);
  });

  it.each(COMMANDS)('%s', async (command) => {
    const argv = [...command.replace(/ # .*/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
      (match) => match[1] ?? match[2] ?? match[3]!,
    );
    const { exit, stderr } = await folder.weir(argv.slice(1), { catalog: PLUGINS, nowMs: () => performance.now() });
    expect({ command, exit, stderr }).toEqual({ command, exit: 0, stderr: expect.stringMatching(/^exit 0: /m) });
  });

  it('shows tests that pass', async () => {
    const shown = /```yml\n([\s\S]*?)```/.exec(GUIDE)![1]!;
    await folder.write('tests/guide.test.yaml', shown);
    const { exit, stderr } = await folder.weir(['test', 'guide'], { catalog: PLUGINS });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'exit 0: 16 tests passed\n' });
  });
});

import { chmodSync, closeSync, linkSync, lstatSync, mkdirSync, mkdtempSync, openSync, readdirSync } from 'node:fs';
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeNamedFile } from './named-files.js';

const HOOKS = pathToFileURL('test/support/register-typescript.mjs').href;

describe('An existing file that a command writes', () => {
  let cwd: string;
  const at = (name: string): string => join(cwd, name);
  const text = (name: string): string => readFileSync(at(name), 'utf8');
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'weir-replaced-'));
    writeFileSync(at('policy.yaml'), 'before');
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  it('is never without its text, which a full disk could then not bring back', async () => {
    const reader = openSync(at('policy.yaml'), 'r');
    try {
      await writeNamedFile('policy.yaml', 'after', { cwd });
      expect([readFileSync(reader, 'utf8'), text('policy.yaml')]).toEqual(['before', 'after']);
    } finally {
      closeSync(reader);
    }
    expect(readdirSync(cwd)).toEqual(['policy.yaml']);
  });

  it('keeps its permissions, its owner and its place behind a link', async () => {
    chmodSync(at('policy.yaml'), 0o640);
    mkdirSync(at('folder'));
    symlinkSync('../policy.yaml', at('folder/link.yaml'));
    const { mode, uid, gid } = statSync(at('policy.yaml'));
    await writeNamedFile('folder/link.yaml', 'after', { cwd });
    expect(lstatSync(at('folder/link.yaml')).isSymbolicLink()).toBe(true);
    expect(text('policy.yaml')).toBe('after');
    expect(statSync(at('policy.yaml'))).toMatchObject({ mode, uid, gid });
    expect(readdirSync(at('folder'))).toEqual(['link.yaml']);
  });

  it('keeps its second name', async () => {
    linkSync(at('policy.yaml'), at('second.yaml'));
    await writeNamedFile('policy.yaml', 'after', { cwd });
    expect([text('policy.yaml'), text('second.yaml')]).toEqual(['after', 'after']);
  });

  it('is written although its link leads to a file that does not exist yet', async () => {
    symlinkSync('new.yaml', at('link.yaml'));
    await writeNamedFile('link.yaml', 'after', { cwd });
    expect(text('new.yaml')).toBe('after');
  });

  /** Ends a script in a process of its own, after `replaceFile` was imported. @returns the exit code */
  const exitOf = (script: string, redirection = ''): Promise<unknown> => {
    const load = `import { replaceFile } from ${JSON.stringify(resolve('cli/replaced-file.ts'))};`;
    const command = `exec "$0" --disable-warning=ExperimentalWarning --import "$2" --input-type=module -e "$1" ${redirection}`;
    return new Promise((done) => {
      const args = ['-c', command, process.execPath, `import fs from 'node:fs'; ${load} ${script}`, HOOKS];
      execFile('/bin/sh', args, { cwd }, (error) => done(error?.code ?? 0));
    });
  };
  // Other systems have no /proc, and name open files in other ways.
  const onLinux = process.platform === 'linux' ? it : it.skip;

  onLinux.each([
    ['/dev/stderr', '2>> policy.yaml'],
    ['/dev/stdout', '>> policy.yaml'],
    ['/dev/fd/2', '2>> policy.yaml'],
    ['/proc/self/fd/5', '5>> policy.yaml'],
  ])('keeps its text if it is a log, and %s leads to it', async (name, redirection) => {
    const { ino } = statSync(at('policy.yaml'));
    expect(
      await exitOf(`await replaceFile('${name}', ', then'); await replaceFile('${name}', ' after')`, redirection),
    ).toBe(0);
    expect(text('policy.yaml')).toBe('before, then after');
    expect(statSync(at('policy.yaml')).ino).toBe(ino);
    expect(readdirSync(cwd)).toEqual(['policy.yaml']);
  });

  onLinux('stays the file that the shell has opened for stderr, also under its own name', async () => {
    const script = `await replaceFile('policy.yaml', 'after'); fs.writeSync(2, ', said')`;
    expect(await exitOf(script, '2>> policy.yaml')).toBe(0);
    expect(text('policy.yaml')).toBe('after, said');
  });

  onLinux('has no draft beside it after a second Ctrl-C', async () => {
    // The program ends as the command does after the second signal: at once, with 130.
    const script = `
      void replaceFile('policy.yaml', 'x'.repeat(100e6));
      while (fs.readdirSync('.').length < 2) await new Promise(setImmediate);
      process.exit(130);`;
    expect(await exitOf(script)).toBe(130);
    expect(readdirSync(cwd)).toEqual(['policy.yaml']);
    expect(text('policy.yaml')).toBe('before');
  });

  onLinux.each(['sync', 'close'])('keeps its text if a disk reports only at %s that it is full', async (step) => {
    const script = `
      const folder = await fs.promises.open('.');
      const files = Object.getPrototypeOf(folder);
      await folder.close();
      const fail = () => Promise.reject(Object.assign(new Error('full'), { code: 'EDQUOT' }));
      files.sync = async function () {
        const { close } = this;
        if ('${step}' === 'sync') await fail();
        this.close = () => close.call(this).then(fail);
      };
      const code = await replaceFile('policy.yaml', 'after').catch((error) => error.code);
      process.exitCode = code === 'EDQUOT' ? 28 : 1;`;
    expect(await exitOf(script)).toBe(28);
    expect(readdirSync(cwd)).toEqual(['policy.yaml']);
    expect(text('policy.yaml')).toBe('before');
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { PLUGINS } from '../plugins/index.js';
import { wholeCatalog } from '../src/core/index.js';
import type { Io } from './io.js';
import { loadedPlugins } from './loaded-plugins.js';

function io(env: Readonly<Record<string, string>>): { io: Io; said: () => string } {
  let text = '';
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const signal = new AbortController().signal;
  return {
    io: { stdin: Readable.from([]), stdout: stderr, stderr, env, cwd: process.cwd(), nowMs: () => 0, signal },
    said: () => text,
  };
}

describe('The plugins of the command line', () => {
  it('are the built-in ones if the settings name none', async () => {
    for (const env of [{}, { WEIR_PLUGINS: '' }] as Record<string, string>[]) {
      expect(await wholeCatalog(await loadedPlugins(io(env).io))).toBe(PLUGINS);
    }
  });

  it('are all refused if the settings name a missing package', async () => {
    const run = io({ WEIR_PLUGINS: 'weir-plugin-that-is-not-installed' });
    await expect(loadedPlugins(run.io)).rejects.toThrow('WEIR_PLUGINS names a package that cannot be loaded');
    expect(run.said()).toContain('weir-plugin-that-is-not-installed cannot be imported');
  });

  it('include the packages that only the settings file names', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-plugins-'));
    try {
      writeFileSync(join(folder, 'weir.yaml'), 'plugins: weir-plugin-that-is-not-installed\n');
      const run = io({ WEIR_CONFIG: join(folder, 'weir.yaml') });
      await expect(loadedPlugins(run.io)).rejects.toThrow('names a package that cannot be loaded');
      expect(run.said()).toContain('weir-plugin-that-is-not-installed cannot be imported');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

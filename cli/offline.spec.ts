import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CONFIG_FILE_VARIABLE, SETTINGS } from '../src/config/index.js';
import { runModule } from './offline.js';

describe('runModule', () => {
  let folder: string;
  const at = (file: string, second: number): void => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    utimesSync(path, second, second);
  };
  const chosen = (argv: readonly string[], env: NodeJS.ProcessEnv = {}): string =>
    runModule(argv, env, pathToFileURL(`${join(folder, 'cli')}/`));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-offline-'));
    at('cli/run.js', 100);
    at('offline/run.js', 101);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('selects the bundle for commands that need no server, for help and without a command', () => {
    for (const argv of [['lint'], ['test', '--coverage'], ['mutate'], ['--version'], ['--help'], []])
      expect(chosen(argv)).toBe('../offline/run.js');
  });

  it('selects the single modules for commands that may need the server, and if the command is not the first word', () => {
    for (const argv of [['server', 'start'], ['deploy', 'production'], ['scan'], ['--quiet', 'deploy'], ['lnit']])
      expect(chosen(argv)).toBe('./run.js');
  });

  it('selects the single modules for a request body that the code of the proxy parses', () => {
    expect(chosen(['try', '--body', 'b'])).toBe('./run.js');
    expect(chosen(['try', '--body=b', '--json'])).toBe('./run.js');
    expect(chosen(['try', 'a body'])).toBe('../offline/run.js');
  });

  it('selects the single modules if settings name plugins', () => {
    expect(chosen(['lint'], { [SETTINGS.plugins.name]: 'weir-plugin-words' })).toBe('./run.js');
    expect(chosen(['lint'], { [CONFIG_FILE_VARIABLE]: 'weir.yaml' })).toBe('./run.js');
    expect(chosen(['lint'], { WEIR_PLUGINS: '' })).toBe('../offline/run.js');
  });

  it('never selects a bundle that is older than the compiled modules or missing', () => {
    at('offline/run.js', 99);
    expect(chosen(['lint'])).toBe('./run.js');
    rmSync(join(folder, 'offline'), { recursive: true });
    expect(chosen(['lint'])).toBe('./run.js');
  });
});

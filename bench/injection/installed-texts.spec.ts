import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { absentReadmes, installedTexts, listReadmes } from './installed-texts.js';

describe('The READMEs on which the injection model is trained', () => {
  let root = '';
  const idsOf = (): string[] => installedTexts(root).map(({ id }) => id);
  const install = (packages: Readonly<Record<string, string>>, license = 'MIT'): void => {
    for (const [name, readme] of Object.entries(packages)) {
      mkdirSync(join(root, 'node_modules', name), { recursive: true });
      writeFileSync(join(root, 'node_modules', name, 'README.md'), readme);
    }
    const locked = Object.keys(packages).map((name) => [`node_modules/${name}`, { version: '1.0.0', license }]);
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: Object.fromEntries(locked) }));
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'weir-readmes-'));
    mkdirSync(join(root, 'bench/injection'), { recursive: true });
    mkdirSync(join(root, 'node_modules/typescript/lib'), { recursive: true });
    install({ alpha: '# Alpha\nOne.', beta: '# Beta\nTwo.' });
    listReadmes(root);
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('are only those of packages in the list, even if more packages are installed', () => {
    install({ alpha: '# Alpha\nOne.', beta: '# Beta\nTwo.', gamma: '# Gamma\nThree.' });
    expect(idsOf()).toEqual(['node_modules/alpha#0', 'node_modules/beta#0']);
    expect(absentReadmes(root)).toEqual([]);
  });

  it('are skipped and reported if they were changed or removed', () => {
    install({ alpha: '# Alpha\nAnother text.' });
    rmSync(join(root, 'node_modules/beta'), { recursive: true });
    expect(idsOf()).toEqual([]);
    expect(absentReadmes(root)).toEqual(['node_modules/alpha', 'node_modules/beta']);
  });

  it('belong only to packages with a free licence', () => {
    install({ alpha: '# Alpha\nOne.' }, 'AGPL-3.0');
    listReadmes(root);
    expect(idsOf()).toEqual([]);
  });
});

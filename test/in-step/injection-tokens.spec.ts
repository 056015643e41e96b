import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/walks.js';

/**
 * The only injection tokens that are not classes: the import of a class shows the value of a constructor's parameter, a
 * symbol does not. These tokens are needed because the process is started with these values, whose types are not classes.
 */
const TOKENS: Readonly<Record<string, { readonly file: string; readonly providedIn: string }>> = {
  APP_CONFIG: { file: 'src/config/config.module.ts', providedIn: 'src/config/config.module.ts' },
  LOGGER: { file: 'src/http/logger.ts', providedIn: 'src/http/http.module.ts' },
};

const sources = globSync('src/**/*.ts', { cwd: ROOT })
  .filter((file) => !file.endsWith('.spec.ts'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

/** The files that match a pattern, with the text of its first group. */
function placesOf(pattern: RegExp): { readonly file: string; readonly name: string }[] {
  return sources.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([, name = '']) => ({ file, name })));
}

describe('the injection token of a constructor parameter', () => {
  it('is an imported class, and a symbol only for the settings and the logger', () => {
    const symbols = placesOf(/\bconst (\w+)(?:: [^=]+)? = Symbol\b/g);
    expect(symbols.map(({ file, name }) => [name, file]).sort()).toEqual(
      Object.entries(TOKENS)
        .map(([name, { file }]) => [name, file])
        .sort(),
    );
    expect(
      sources
        .filter(({ text }) => /\bSymbol(?:\.for)?\(/.test(text.replace(/ = Symbol\(/g, '')))
        .map(({ file }) => file),
    ).toEqual([]);
  });

  it('is provided in a single place if it is a symbol', () => {
    const provided = placesOf(/\bprovide: ([A-Z][A-Z0-9_]+)\b/g).filter(
      ({ name }) => !/^APP_(?:GUARD|FILTER)$/.test(name),
    );
    expect(provided.filter(({ name, file }) => TOKENS[name]?.providedIn !== file)).toEqual([]);
    expect(provided.map(({ name }) => name).sort()).toEqual(Object.keys(TOKENS).sort());
  });

  it('is never a string', () => {
    expect(placesOf(/(?:@Inject\(|\bprovide: )(['"`])/g)).toEqual([]);
  });
});

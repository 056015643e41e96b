import { readFileSync } from 'node:fs';
import { parseArguments } from '../../cli/parse.js';
import { SETTINGS } from '../../src/config/index.js';
import { TOKEN_SCOPES } from '../../src/core/index.js';

const guide = readFileSync('docs/guides/deploy-policies.md', 'utf8');

describe('The guide to deploying policies', () => {
  const shown = [...guide.matchAll(/^\$ weir ([^|\n]*)/gm)].map((match) => match[1]!.trim());

  it.each(shown)('shows a valid command: weir %s', async (line) => {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2]!);
    const parsed = await parseArguments(words, '0.0.0', 80);
    expect(parsed.kind).toBe('chosen');
  });

  it('names existing settings, scopes and routes', () => {
    const settings = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));
    const named = [...guide.matchAll(/\bWEIR_POLIC[A-Z_]+/g)].map((match) => match[0]);
    expect(named.filter((name) => !settings.has(name))).toEqual([]);
    const scopes = [...guide.matchAll(/`(policy:[a-z]+)`/g)].map((match) => match[1]!);
    expect(scopes.filter((scope) => !(TOKEN_SCOPES as readonly string[]).includes(scope))).toEqual([]);
    const { paths } = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as { paths: object };
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/v1/policies/{environment}', '/v1/policies/{environment}/emergency']),
    );
  });
});

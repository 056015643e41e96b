import { Problems } from './problems.js';
import { readYaml, YAML_LIMITS } from './read-yaml.js';

function problemsOf(text: string): readonly string[] {
  const problems = new Problems();
  expect(readYaml('a.yaml', text, problems)).toBeUndefined();
  return problems.sorted().map(({ code, line, message }) => `${line} ${code} ${message}`);
}

describe('A file of several documents', () => {
  it.each([2, 3, 10_000, Math.floor(YAML_LIMITS.maxChars / '--- 1\n'.length)])(
    'is reported at the start of the second document, and is not read further: %d documents',
    (count) => {
      expect(problemsOf('--- 1\n'.repeat(count))).toEqual(['2 G009 a file must contain only one document']);
    },
  );
});

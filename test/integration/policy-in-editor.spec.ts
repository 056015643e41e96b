import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LanguageServer } from '../support/language-server.js';

const POLICY = `# yaml-language-server: $schema=../_schema/policy.v1.json
apiVersion: weir/v1
kind: Policy
metadata: { id: example }
environment: production
default: allow
detectors:
  pii: { plugin: pii@^1 }
rules:
  - id: example.rule
    stage: pre
    when:
      all:
        - pii.count: { gt: 0 }
        - pii.types: { any_of: [EMAIL] }
    then: { action: flag }
`;

/** The zero-based position of the end of the first line that starts with `begins`. */
function endOf(text: string, begins: string): [number, number] {
  const line = text.split('\n').findIndex((one) => one.startsWith(begins));
  return [line, text.split('\n')[line]!.length];
}

describe('the YAML language server for policies in an editor', () => {
  let folder: string;
  let server: LanguageServer;
  let count = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-editor-'));
    cpSync('policies/_schema', join(folder, '_schema'), { recursive: true });
    for (const name of ['production', 'tests']) mkdirSync(join(folder, name));
    server = new LanguageServer();
    await server.start(pathToFileURL(folder).href);
  });

  afterAll(() => {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function open(text: string, where = 'production'): string {
    const file = join(folder, where, `file-${count++}.yaml`);
    writeFileSync(file, text);
    const uri = pathToFileURL(file).href;
    server.open(uri, text);
    return uri;
  }

  it('reports no problem in a valid policy', async () => {
    expect(await server.diagnostics(open(POLICY), () => true)).toEqual([]);
  });

  it('completes the facts of the loaded plugins', async () => {
    const text = POLICY.replace('        - pii.types: { any_of: [EMAIL] }', '        - prom');
    const labels = await server.completions(open(text), ...endOf(text, '        - prom'));
    expect(labels).toEqual(expect.arrayContaining(['pii.types', 'pii.score', 'prompt_injection.score', 'model.name']));
  });

  it('completes the operators that apply to the fact', async () => {
    const text = POLICY.replace('{ any_of: [EMAIL] }', '\n            a');
    const labels = await server.completions(open(text), ...endOf(text, '            a'));
    expect(labels).toEqual(expect.arrayContaining(['any_of', 'all_of', 'none_of']));
    expect(labels).not.toContain('starts_with');
  });

  it('completes the codes that a detector can find', async () => {
    const text = POLICY.replace('[EMAIL]', '\n              - ')
      .replace('{ any_of:', '\n            any_of:')
      .replace(' }\n    then', '\n    then');
    const labels = await server.completions(open(text), ...endOf(text, '              - '));
    expect(labels).toEqual(expect.arrayContaining(['EMAIL', 'IBAN', 'US_SSN']));
  });

  it('completes keys of a rule, actions and the options of a plugin', async () => {
    const rule = `${POLICY}    o`;
    expect(await server.completions(open(rule), ...endOf(rule, '    o'))).toContain('on_unknown');
    const action = POLICY.replace('then: { action: flag }', 'then:\n      action: ');
    expect(await server.completions(open(action), ...endOf(action, '      action: '))).toEqual(
      expect.arrayContaining(['block', 'redact', 'flag']),
    );
    const option = POLICY.replace('pii: { plugin: pii@^1 }', 'pii:\n    plugin: pii@^1\n    m');
    expect(await server.completions(open(option), ...endOf(option, '    m'))).toContain('min_score');
  });

  it('explains a key and a fact on hover', async () => {
    const uri = open(POLICY);
    const [line] = endOf(POLICY, '    stage: pre');
    expect(await server.hover(uri, line, 6)).toContain('each new tool call');
    const [fact] = endOf(POLICY, '        - pii.count');
    expect(await server.hover(uri, fact, 14)).toContain('Number of findings');
  });

  it.each([
    ['a misspelt key', 'stage: pre', 'stgae: pre', 'stgae'],
    ['a fact that does not exist', 'pii.count', 'pii.cuont', 'pii.cuont'],
    ['an operator that does not exist', '{ gt: 0 }', '{ gtt: 0 }', 'gtt'],
    ['an action that does not exist', 'action: flag', 'action: blok', 'Accepted values|block'],
    ['an operator that does not read the fact', 'pii.types: { any_of: [EMAIL] }', 'pii.types: { gte: 3 }', 'gte'],
  ])('marks %s', async (_what, right, wrong, said) => {
    const found = await server.diagnostics(open(POLICY.replace(right, wrong)), ({ length }) => length > 0);
    expect(found.map(({ message }) => message).join('\n')).toMatch(new RegExp(said));
  });

  it('checks the format of tests and of the project file', async () => {
    const suite = `# yaml-language-server: $schema=../_schema/policy-test.v1.json
apiVersion: weir/v1
kind: PolicyTest
environments: [production]
tests:
  - id: one
    table:
      columns: [text, action, rules]
      rows:
        - [hello, allow, []]
    text: $text
    expect@production: { action: allow, rules: [] }
  - id: two
    txt: hello
    expect: { action: allow, rules: [] }
`;
    const found = await server.diagnostics(open(suite, 'tests'), ({ length }) => length > 0);
    expect(found.map(({ message }) => message)).toEqual([expect.stringContaining('txt')]);
    const project =
      '# yaml-language-server: $schema=../_schema/project.v1.json\napiVersion: weir/v1\nkind: Project\nlnt: {}\n';
    const wrong = await server.diagnostics(open(project, 'tests'), ({ length }) => length > 0);
    expect(wrong.map(({ message }) => message)).toEqual([expect.stringContaining('lnt')]);
  });
});

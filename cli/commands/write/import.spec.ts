import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir, type WeirRun } from '../../../test/support/run-weir.js';

const LITELLM = `model_list: [{ model_name: gpt-4o }]
guardrails:
  - guardrail_name: pii
    litellm_params:
      guardrail: presidio
      mode: [pre_call, post_call]
      default_on: true
      pii_entities_config: { EMAIL_ADDRESS: MASK, CREDIT_CARD: BLOCK, MEDICAL_LICENSE: MASK }
  - guardrail_name: words
    litellm_params:
      guardrail: litellm_content_filter
      mode: during_call
      patterns:
        - { pattern_type: regex, name: ticket, pattern: 'TCK-\\d{6}', action: MASK }
        - { pattern_type: regex, name: ahead, pattern: 'a(?=b)', action: BLOCK }
      blocked_words: [{ keyword: Blue Harbor, action: BLOCK }]
  - guardrail_name: tools
    litellm_params:
      guardrail: tool_permission
      mode: post_call
      default_on: true
      rules:
        - { id: a, tool_name: mcp__github_*, decision: allow }
        - { id: b, tool_name: Read, decision: deny }
      default_action: deny
  - guardrail_name: elsewhere
    litellm_params: { guardrail: lakera_v2, mode: pre_call }
`;
const BEDROCK = JSON.stringify(
  {
    name: 'support',
    blockedInputMessaging: 'Ask a person.',
    topicPolicy: { topics: [{ name: 'Investments', type: 'DENY' }] },
    contentPolicy: { filters: [{ type: 'PROMPT_ATTACK', inputStrength: 'MEDIUM', outputStrength: 'NONE' }] },
    wordPolicy: { words: [{ text: 'Kestrel', outputEnabled: false }] },
    sensitiveInformationPolicy: {
      piiEntities: [
        { type: 'EMAIL', action: 'ANONYMIZE' },
        { type: 'PIN', action: 'BLOCK' },
      ],
      regexes: [{ name: 'case', pattern: 'CASE-\\d{4}', action: 'BLOCK' }],
    },
  },
  null,
  2,
);
const PRESIDIO = `recognizers:
  - { name: UsSsnRecognizer, type: predefined }
  - name: Zip
    supported_entity: ZIP
    supported_language: de
    patterns: [{ name: weak, regex: '\\b\\d{5}\\b', score: 0.01 }]
    context: [zip]
  - { name: Titles, supported_entity: TITLE, deny_list: [Mrs., Prof.] }
`;
const NEMO = `models: [{ type: main }]
rails:
  input: { flows: [self check input, mask sensitive data on input, regex check input] }
  config:
    sensitive_data_detection: { input: { entities: [EMAIL_ADDRESS] } }
    regex_detection: { input: { patterns: ['internal-\\d+'] } }
`;

describe('weir import', () => {
  /** A folder as `weir init` makes it, which each test begins with. */
  let made: string;
  let folder: string;
  const weir = (...argv: string[]): Promise<WeirRun> => runWeir(argv, { cwd: folder });
  const read = (file: string): string => readFileSync(join(folder, 'policies', file), 'utf8');
  const put = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  const notesOf = ({ stdout }: WeirRun): string[] =>
    (JSON.parse(stdout) as { notes: { line: number; path: string; isLost: boolean }[] }).notes.map(
      ({ line, path, isLost }) => `${line} ${path} ${isLost ? 'lost' : 'otherwise'}`,
    );
  beforeAll(async () => {
    made = mkdtempSync(join(tmpdir(), 'weir-import-'));
    await runWeir(['init'], { cwd: made });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-import-'));
    cpSync(made, folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  afterAll(() => rmSync(made, { recursive: true, force: true }));

  it.each([
    [
      'litellm',
      LITELLM,
      [
        ...['1 model_list lost', '8 guardrails[0].litellm_params.pii_entities_config.MEDICAL_LICENSE lost'],
        ...['9 guardrails[1] otherwise', '12 guardrails[1].litellm_params.mode otherwise'],
        ...['14 guardrails[1].litellm_params.patterns[0] otherwise'],
        ...['15 guardrails[1].litellm_params.patterns[1] lost'],
        ...['24 guardrails[2].litellm_params.rules[1] otherwise', '26 guardrails[3] lost'],
      ],
      { rules: 8 },
    ],
    [
      'bedrock',
      BEDROCK,
      [
        '6 topicPolicy.topics[0] lost',
        '14 contentPolicy.filters[0] otherwise',
        '35 sensitiveInformationPolicy.piiEntities[1] lost',
        '41 sensitiveInformationPolicy.regexes[0] otherwise',
      ],
      { rules: 6 },
    ],
    [
      'presidio',
      PRESIDIO,
      [
        ...['6 recognizers[1].patterns[0] otherwise', '6 recognizers[1].patterns[0] otherwise'],
        ...['7 recognizers[1].context lost'],
      ],
      { rules: 3 },
    ],
    [
      'nemo',
      NEMO,
      [
        ...['1 models lost', '3 rails.input.flows[0] lost'],
        ...['6 rails.config.regex_detection.input.patterns[0] otherwise'],
      ],
      { rules: 2 },
    ],
  ])(
    'of %s writes rules without lint errors and with passing tests, and lists each line not carried over',
    async (system, text, notes, report) => {
      put('source.yaml', text);
      const imported = await weir('import', system, 'source.yaml', '--json');
      expect(imported.exit).toBe(0);
      expect(JSON.parse(imported.stdout)).toMatchObject(report);
      expect(notesOf(imported).sort()).toEqual([...notes].sort());
      for (const argv of [
        ['fmt', '--check'],
        ['lint', '--fail-level', 'error'],
        ['test', 'imported-'],
      ])
        expect([argv, (await weir(...argv)).exit]).toEqual([argv, 0]);
    },
  );

  it.each([
    [
      'nemo',
      NEMO.replace("['internal-\\d+'] }", "['internal-\\d+'], case_insensitive: yes }"),
      'case_sensitive: false',
    ],
    [
      'presidio',
      'recognizers:\n  - { name: Own, type: predefined, supported_entities: [CREDIT_CARD, IBAN_CODE] }\n' +
        '  - { name: PhoneRecognizer, enabled: no }\n',
      'any_of: - CREDIT_CARD - IBAN',
    ],
    [
      'bedrock',
      BEDROCK.replace('"inputStrength"', '"inputEnabled": false, "inputStrength"').replace('PIN', 'PHONE'),
      'any_of: - PHONE',
    ],
  ])('imports only what is enabled in the source, and every entity of a list: %s', async (system, text, rule) => {
    put('source.yaml', text);
    expect((await weir('import', system, 'source.yaml')).exit).toBe(0);
    const written = read(`production/imported-${system}.yaml`).replace(/\s+/g, ' ');
    expect(written).toContain(rule);
    expect(written).not.toContain('prompt_injection');
  });

  it('writes rules that act like those in the source', async () => {
    put('guardrail.json', BEDROCK);
    await weir('import', 'bedrock', 'guardrail.json', '--name', 'support');
    const blocked = JSON.parse(
      (await weir('try', 'We call it Kestrel', '--env', 'production', '--json')).stdout,
    ) as object;
    expect(JSON.stringify(blocked)).toContain('support.block-words-request');
    expect(read('production/imported-support.yaml')).toContain('message: Ask a person.');
  });

  it('matches an expression against the complete name of a tool, and reports a second list of tools', async () => {
    const tools = (name: string): string => `  - guardrail_name: tools
    litellm_params:
      guardrail: tool_permission
      default_on: true
      rules: [{ id: a, tool_name: "${name}", decision: allow }]
`;
    put('config.yaml', `guardrails:\n${tools('^Read')}${tools('Write')}`);
    const imported = await weir('import', 'litellm', 'config.yaml', '--json');
    expect(notesOf(imported)).toEqual(['7 guardrails[1] lost']);
    expect(read('production/imported-litellm.yaml')).toContain('^(?:^Read)$');
  });

  it.each([
    ['a pattern that is too large', "'[a-z]{900}[0-9]{900}[a-z]{900}[0-9]{900}[a-z]{900}[0-9]{900}'", 'too large'],
    ['a pattern that matches an empty text', "'x*'", 'matches an empty text'],
  ])('leaves out a pattern that no detector supports, and imports the rest: %s', async (_, pattern, why) => {
    put('source.yaml', NEMO.replace("['internal-\\d+']", `['internal-\\d+', ${pattern}]`));
    const imported = await weir('import', 'nemo', 'source.yaml');
    expect(imported.exit).toBe(0);
    expect(imported.stdout).toContain(why);
    expect(read('production/imported-nemo.yaml')).toContain('internal-');
  });

  it('leaves out the last patterns if they exceed the limit of a detector', async () => {
    const many = Array.from({ length: 203 }, (_, index) => `'internal-${index}'`).join(', ');
    put('source.yaml', NEMO.replace("['internal-\\d+']", `[${many}]`));
    const imported = await weir('import', 'nemo', 'source.yaml', '--json');
    expect(imported.exit).toBe(0);
    expect(notesOf(imported).filter((note) => note.includes('patterns['))).toEqual(
      [200, 201, 202].map((index) => `6 rails.config.regex_detection.input.patterns[${index}] lost`),
    );
  });

  it('keeps the meaning of . and ^ in expressions', async () => {
    const recognizers = (flags: string): string => `${flags}recognizers:
  - name: Notes
    supported_entity: NOTE
    patterns: [{ name: notes, regex: '^note: .{1,40}end', score: 1 }]
`;
    put('usual.yaml', recognizers(''));
    put('plain.yaml', recognizers('global_regex_flags: 256\n'));
    await weir('import', 'presidio', 'usual.yaml', '--name', 'usual');
    expect(read('production/imported-usual.yaml')).toContain('(?s)^note');
    const plain = await weir('import', 'presidio', 'plain.yaml', '--name', 'plain', '--json');
    expect(read('production/imported-plain.yaml')).toContain('(?-m)^note');
    expect(notesOf(plain)).toEqual([]);
  });

  it('imports masks that LiteLLM applies only to its log as flags, and reports the difference', async () => {
    const guardrail = (kind: string, mode: string): string =>
      `  - guardrail_name: g\n    litellm_params: { guardrail: ${kind}, mode: ${mode}, default_on: true }\n`;
    put(
      'log.yaml',
      `guardrails:\n${guardrail('hide-secrets', 'logging_only')}${guardrail('presidio', 'logging_only')}`,
    );
    const logged = await weir('import', 'litellm', 'log.yaml', '--json');
    expect(notesOf(logged).filter((note) => note.includes('mode'))).toEqual([
      '3 guardrails[0].litellm_params.mode otherwise',
      '5 guardrails[1].litellm_params.mode otherwise',
    ]);
    expect(read('production/imported-litellm.yaml')).not.toContain('action: redact');
    put('both.yaml', `guardrails:\n${guardrail('hide-secrets', '[pre_call, logging_only]')}`);
    const both = await weir('import', 'litellm', 'both.yaml', '--json', '--yes');
    expect(notesOf(both)).toEqual(['3 guardrails[0].litellm_params.mode[1] lost']);
    expect(read('production/imported-litellm.yaml')).not.toContain('stage: post');
  });

  it('asks before it overwrites files, and keeps the files if there is no terminal to ask in', async () => {
    put('source.yaml', PRESIDIO);
    await weir('import', 'presidio', 'source.yaml');
    const file = 'production/imported-presidio.yaml';
    writeFileSync(join(folder, 'policies', file), `# ours\n${read(file)}`);
    const again = await weir('import', 'presidio', 'source.yaml');
    expect(again.exit).toBe(2);
    expect(again.stderr).toContain('will be overwritten: use --yes');
    expect(read(file)).toContain('# ours');
    expect((await weir('import', 'presidio', 'source.yaml', '--yes')).exit).toBe(0);
    expect(read(file)).not.toContain('# ours');
  });

  it.each([
    ['in the project folder', []],
    ['in the policies folder', ['policies']],
  ])('writes the same file when repeated %s, even if the tests were deleted', async (_, below) => {
    rmSync(join(folder, 'policies', 'tests'), { recursive: true });
    put('guardrail.json', BEDROCK);
    const again = (...argv: string[]): Promise<WeirRun> =>
      runWeir(['import', 'bedrock', join(folder, 'guardrail.json'), ...argv], {
        ...{ cwd: join(folder, ...below) },
      });
    expect((await again()).exit).toBe(0);
    const first = read('production/imported-bedrock.yaml');
    const { exit, stderr } = await again('--yes');
    expect([exit, stderr]).toEqual([0, expect.stringContaining('6 rules')]);
    expect(read('production/imported-bedrock.yaml')).toBe(first);
  });

  it('reads - from stdin', async () => {
    const { exit, stdout } = await runWeir(['import', 'bedrock', '-'], { cwd: folder, stdin: BEDROCK });
    expect([exit, stdout]).toEqual([0, expect.stringContaining('written  policies/production/imported-bedrock.yaml')]);
  });

  it('writes nothing if nothing can be converted, and reports the lines that it left out', async () => {
    put('rails.co', 'define user ask about cooking\n  "How?"\n\ndefine flow\n\ndefine bot refuse\n  "No."\n');
    const { exit, stdout, stderr } = await weir('import', 'nemo', 'rails.co', '--json');
    expect(exit).toBe(7);
    expect(stderr).toContain('nothing was written');
    expect((JSON.parse(stdout) as { notes: { line: number }[] }).notes.map(({ line }) => line)).toEqual([1, 6]);
  });

  it.each([
    ['a file that does not exist', ['import', 'litellm', 'nowhere.yaml'], 2, 'there is no file nowhere.yaml'],
    ['a file that is not YAML', ['import', 'litellm', 'broken.yaml'], 3, 'broken.yaml:2: '],
    [
      'an unknown environment',
      ['import', 'litellm', 'broken.yaml', '--env', 'prod'],
      2,
      'there is no environment "prod"',
    ],
  ])('says what is wrong with %s', async (_, argv, exit, words) => {
    put('broken.yaml', 'a: [1\nb: 2}\n');
    const ended = await weir(...argv);
    expect([ended.exit, ended.stderr]).toEqual([exit, expect.stringContaining(words)]);
  });
});

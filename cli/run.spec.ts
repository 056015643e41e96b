import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { LETTERS, runOnLetters as runWeir } from '../test/support/run-weir.js';

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!;

describe('The weir command line', () => {
  it('prints every command in its help to stdout and exits 0', async () => {
    const { exit, stdout, stderr } = await runWeir(['--help']);
    expect(exit).toBe(0);
    for (const command of ['  scan [files..]', '  eval <corpus..>', '  plugin <command>', '  server <command>'])
      expect(stdout).toContain(command);
    expect(stdout).not.toContain('\0');
    expect(stderr).toBe('');
  });

  it('prints its version', async () => {
    expect((await runWeir(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [[], 'name a command'],
    [['scna'], 'exit 2: there is no command "scna". Did you mean scan?'],
    [['keys', 'creat', '--name', 'x'], 'exit 2: there is no command "keys creat". Did you mean create?'],
    [['completion', 'tcsh'], 'exit 2: <shell> takes bash, zsh, fish; it is "tcsh"'],
    [['completion', '-'], 'exit 2: <shell> takes bash, zsh, fish; it is "-"'],
    [['plan', '-'], 'exit 2: there is no environment "-"'],
    [['completion', 'weir:dashes'], 'it is "weir:dashes"'],
    [['apps', 'list', '-'], 'Unknown argument: -'],
    [['apps', 'list', '--', '-x'], 'Unknown argument: -x'],
    [['sessions', 'show', '--env', '--', 'staging'], 'exit 2: --env takes a value: Environment'],
    [['lint', '--format', 'x'], 'exit 2: --format takes pretty, compact, json, sarif, junit, tap, github; it is "x"'],
    [['something'], 'there is no command "something". See: weir --help'],
    [['scan', '--detector', 'pii'], 'Unknown argument: --detector; did you mean --detectors?'],
    [
      ['lint', '--fail-levle=error', '--foo-bar'],
      'Unknown arguments: --fail-levle, --foo-bar; did you mean --fail-level?',
    ],
    [['test', '-x'], 'Unknown argument: -x'],
    [['erase', '--metadata.user_id=u1', '--yes'], 'Unknown argument: --metadata.user_id'],
    [['apps', 'list', 'more'], 'exit 2: unexpected argument "more" for weir apps list. See: weir apps list --help'],
    [
      ['deploy', 'production', 'staging'],
      'exit 2: unexpected argument "staging" for weir deploy [environment]. See: weir deploy --help',
    ],
    [['tokens', 'revoke', 'x', '--yes'], 'exit 2: there is no command "tokens revoke". Did you mean delete?'],
    [['tokens', 'revoke'], 'exit 2: there is no command "tokens revoke". Did you mean delete?'],
    [['events', 'get', 'x'], 'exit 2: there is no command "events get". Did you mean show?'],
    [['exports', 'schedules', 'ls'], 'exit 2: there is no command "exports schedules ls". Did you mean list?'],
    [['server', 'stop', 'now'], 'exit 2: there is no command "server stop". '],
    [['--json', 'keys', 'rm', 'x'], 'exit 2: there is no command "keys rm". Did you mean delete?'],
    [['validate'], 'exit 2: there is no command "validate". Did you mean lint?'],
    [['start'], 'exit 2: there is no command "start". Did you mean server start?'],
    [['help', 'deploy'], 'exit 2: there is no command "help". Did you mean --help?'],
    [['scan', '--detectors'], 'exit 2: --detectors takes a value: '],
    [
      ['lint', '--format'],
      'exit 2: --format takes a value: Output format (pretty, compact, json, sarif, junit, tap, github)',
    ],
    [['docs', '-o'], 'exit 2: -o takes a value: '],
    [
      ['exports', 'schedules', 'create', 'daily', '--every'],
      'exit 2: --every takes a value: Frequency of the export (day, week, month)',
    ],
    [['scan', '--detectors', ''], '--detectors takes names separated by commas'],
    [['scan', '--detectors', 'nothing'], 'there is no detector "nothing"; there are: some-letters'],
    [['scan', '--detectors', 'a', '--detectors=b'], '--detectors is given more than once'],
    [['eval', 'a', '--min-overlap', '1', '--min-overlap=0'], '--min-overlap is given more than once'],
    [['docs', '-o', 'a.md', '-o', 'b.md'], 'exit 2: -o is given more than once'],
    [['docs', '-o', 'a.md', '-o=b.md'], 'exit 2: -o is given more than once'],
    [['docs', '--output', 'a.md', '-o', 'b.md'], 'is given more than once'],
    [['fmt', '--check=yes'], 'exit 2: --check takes no value, except =true and =false'],
    [['diff', 'HEAD', '--fail-on-weakening=1'], 'exit 2: --fail-on-weakening takes no value'],
    [['scan', '--json=TRUE'], 'exit 2: --json takes no value'],
    [['deploy', 'production', '-y=no'], 'exit 2: -y takes no value'],
    [['mutate', '--min-score', ''], 'exit 2: --min-score takes a number, but its value is empty'],
    [['test', '--coverage', '--min-coverage='], 'exit 2: --min-coverage takes a number, but its value is empty'],
    [['rollback', 'production', '--because', 'x', '--yes', '--to', ' '], 'exit 2: --to takes a number, but its value'],
    [['plugin'], 'which command? See: weir plugin --help'],
    [['plugin', 'new'], 'exit 2: <id> is missing'],
    [['plugin', 'new', 'Bad Id'], 'an id consists of lower-case letters'],
    [['eval'], 'exit 2: <corpus..> is missing'],
    [['rollback', 'production'], 'exit 2: --because is missing'],
    [['budgets', 'adjust', 'team', '--usd', '5'], 'exit 2: --by and --because are missing'],
    [['promote', 'staging'], 'exit 2: <to> is missing'],
    [['eval', 'x.jsonl', '--min-overlap', '2'], '--min-overlap takes a number from 0 to 1'],
    [['eval', 'x.jsonl', '--min-f1', 'high'], '--min-f1 takes a number from 0 to 1'],
    [['eval', 'x.jsonl', '--as', 'secrets'], '--as takes detector=CODE'],
    [['scan', 'no-such-file.jsonl'], 'there is no file no-such-file.jsonl'],
  ])('exits 2 for the wrong usage %j and states the reason in the last line', async (argv, why) => {
    const { exit, stdout, stderr } = await runWeir(argv);
    expect(exit).toBe(2);
    expect(stdout).toBe('');
    expect(lastLine(stderr)).toMatch(/^exit 2: /);
    expect(stderr).toContain(why);
  });

  describe('echoes no credential that was typed as an argument', () => {
    const own = `sk_test_${'wr1_'}Ab3dEf6hIj9l${'Zy8xWv7u'.repeat(4)}0aB1cD`;
    const vendors = `sk-${'proj-'}Ab3dEf6hIj9lZy8xWv7u`;
    const nobodys = 'q7Rt2Ws9Lm4Xc1Vb8Nz5';
    const cutOff = own.slice(0, 24);
    it.each(
      [own, cutOff, vendors, nobodys].flatMap((secret) => [
        [['keys', 'inspect', secret], secret] as const,
        [['keys', 'inspect', `--key=${secret}`], secret] as const,
        [['keys', 'inspect', '--key', secret, '--json'], secret] as const,
        [['keys', 'inspect', '--key-file', secret, '--show-content', '--verbose'], secret] as const,
        [['keys', 'inspect', '--config', secret, secret], secret] as const,
        [['lint', secret], secret] as const,
        [['lint', '--format', secret], secret] as const,
        [['repl', `--env=${secret}`], secret] as const,
        [['login', '--url', 'http://127.0.0.1:9', '--token', secret], secret] as const,
        [[secret], secret] as const,
        [[`--${secret}`], secret] as const,
      ]),
    )('%#', async (argv, secret) => {
      const { exit, stdout, stderr } = await runWeir(argv);
      expect([2, 3]).toContain(exit);
      expect(stdout + stderr).not.toContain(secret);
      expect(lastLine(stderr)).toMatch(/^exit [23]: /);
      expect(lastLine(stderr)).toContain('Send a credential to stdin, or name a file that contains it');
    });
  });

  it('ignores environment variables that are not its settings', async () => {
    const { exit } = await runWeir(['scan'], { env: { WEIR_DETECTORS: 'nothing', WEIR_DATA_DIR: '/nowhere' } });
    expect(exit).toBe(0);
  });

  it('prints nothing on success with --quiet, but still prints failures', async () => {
    expect((await runWeir(['scan', '--quiet'], { stdin: '{"text":"x"}' })).stderr).toBe('');
    expect((await runWeir(['scan', '--quiet'], { stdin: '{"text":' })).stderr).toContain('exit 2: line 1 of stdin');
  });

  it.each([
    ['on for a terminal', { terminal: true }, [], true],
    ['off for a pipe', {}, [], false],
    ['NO_COLOR turns them off', { terminal: true, env: { NO_COLOR: '1' } }, [], false],
    ['an empty NO_COLOR leaves them on', { terminal: true, env: { NO_COLOR: '' } }, [], true],
    ['FORCE_COLOR turns them on for a pipe', { env: { FORCE_COLOR: '1' } }, [], true],
    ['off for a dumb terminal', { terminal: true, env: { TERM: 'dumb' } }, [], false],
    ['--no-color overrides a terminal', { terminal: true }, ['--no-color'], false],
    ['--color overrides NO_COLOR', { env: { NO_COLOR: '1' } }, ['--color'], true],
  ])('switches colours: %s', async (_why, options, flags, coloured) => {
    const { stderr } = await runWeir(['scan', ...flags], { stdin: '', ...options });
    expect(stderr.includes('\u001b[')).toBe(coloured);
  });

  it('exits 130 if it is interrupted', async () => {
    const interrupt = new AbortController();
    const endless = (function* () {
      yield '{"text":"x"}\n';
      interrupt.abort();
      yield '{"text":"x"}\n';
    })();
    const { exit, stderr } = await runWeir(['scan'], { stdin: endless, signal: interrupt.signal });
    expect(exit).toBe(130);
    expect(lastLine(stderr)).toBe('exit 130: interrupted');
  });

  it('gives up after --timeout and says so', async () => {
    const slow = (async function* () {
      yield '{"text":"x"}\n';
      await new Promise((resolve) => setTimeout(resolve, 50));
      yield '{"text":"x"}\n';
    })();
    const { exit, stderr } = await runWeir(['scan', '--timeout', '0.001'], { stdin: Readable.from(slow) });
    expect(exit).toBe(4);
    expect(lastLine(stderr)).toBe('exit 4: gave up after 0.001 s (--timeout)');
    expect((await runWeir(['scan', '--timeout', '0'])).exit).toBe(2);
  });

  it.each([
    [['lint', '-']],
    [['fmt', '-']],
    [['import', 'bedrock', '-']],
    [['keys', 'inspect', '--key-file', '-']],
    [['whoami', '--token-file', '-']],
    [['erase', '--value', 'EMAIL=-', '--yes']],
  ])('stops waiting for stdin when it is interrupted: %j', async (argv) => {
    const interrupt = new AbortController();
    const silent = new Readable({ read: () => interrupt.abort() });
    const { exit, stderr } = await runWeir(argv, { stdin: silent, signal: interrupt.signal });
    expect([exit, lastLine(stderr)]).toEqual([130, 'exit 130: interrupted']);
  });

  it('ends although a command goes on after its interruption, as one that waits for a lock does', async () => {
    const interrupt = new AbortController();
    const endless = { ...LETTERS, whole: () => new Promise<never>(() => interrupt.abort()) };
    const { signal } = interrupt;
    const { exit, stderr } = await runWeir(['scan'], { catalog: endless, stdin: '{"text":"x"}', signal, graceMs: 1 });
    expect(exit).toBe(130);
    expect(lastLine(stderr)).toBe(
      'exit 130: interrupted; the command did not stop by itself, so its work may be incomplete',
    );
  });

  it.each([
    ['ENOSPC', 'exit 2: cannot write the output: the disk is full'],
    ['EIO', 'exit 2: cannot write the output: the disk reports an error'],
    ['EPIPE', 'exit 141: the reader closed the output before its end'],
  ])('does not succeed if its output cannot be written: %s', async (code, words) => {
    const write = (_part: unknown, _encoding: unknown, done: (error: Error) => void): void =>
      done(Object.assign(new Error(code), { code }));
    for (const argv of [['--help'], ['scan']]) {
      const { stderr } = await runWeir(argv, { stdin: '{"text":"x"}', stdout: new Writable({ write }) });
      expect(lastLine(stderr)).toBe(words);
    }
  });

  it.each([
    [['init', 'taken/policies'], /^exit 2: cannot write .*taken\/policies.*: a part of the path is a file$/],
    [['lint', '-o', 'none/report.txt'], 'exit 2: cannot write none/report.txt: its folder does not exist'],
    [['lint', '-o', 'folder'], 'exit 2: cannot write folder: it is a folder'],
    [
      ['schema', 'write', '-o', 'taken/schemas'],
      /^exit 2: cannot \w+ .*taken\/schemas.*: a part of the path is a file$/,
    ],
  ])('names a file that cannot be used and the reason, instead of a defect: %j', async (argv, words) => {
    const cwd = mkdtempSync(join(tmpdir(), 'weir-run-'));
    try {
      await runWeir(['init'], { cwd });
      writeFileSync(join(cwd, 'taken'), '');
      mkdirSync(join(cwd, 'folder'));
      const { stderr } = await runWeir(argv, { cwd });
      expect(lastLine(stderr)).toEqual(typeof words === 'string' ? words : expect.stringMatching(words));
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  });

  it('suggests the flag that was probably meant', async () => {
    expect((await runWeir(['scan', '--detektors', 'x'])).stderr).toContain('did you mean --detectors?');
  });

  it('prints the stack of an unexpected error, but not its message', async () => {
    const detectors = [
      {
        get meta(): never {
          throw new TypeError('the secret word');
        },
      },
    ];
    const { exit, stderr } = await runWeir(['scan'], { catalog: { detectors, structures: [] } as never });
    expect(exit).toBe(70);
    expect(stderr).toContain('internal error: uncaught TypeError');
    expect(stderr).not.toContain('secret');
  });
});

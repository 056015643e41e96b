import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { urlOf } from '../support/ports.js';

interface Comment {
  id: number;
  body: string;
  user: { login: string };
}

const BOT = 'github-actions[bot]';
const TOKEN = ['ghs', 'madeup'].join('_');
const MARKER = '<!-- weir report: diff -->';
const PATHS = /^\/repos\/acme\/rules\/issues\/(?:7\/comments|comments\/(\d+))(?:\?(.*))?$/;

/** The part of GitHub's API for comments, in memory: pages, edits, deletion, and tokens with or without write access. */
class GitHubApi {
  comments: Comment[] = [];
  isReadOnly = false;
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<string> {
    await new Promise<void>((started) => this.#server.listen(0, '127.0.0.1', started));
    return urlOf(this.#server);
  }

  async stop(): Promise<void> {
    await new Promise((stopped) => this.#server.close(stopped));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const [, id, query] = PATHS.exec(request.url ?? '') ?? [undefined, undefined, undefined];
    const reply = (status: number, body?: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return reply(401, { message: 'Bad credentials' });
    if (request.method === 'GET') {
      const [size, page] = ['per_page', 'page'].map((name) => Number(new URLSearchParams(query).get(name)));
      return reply(200, this.comments.slice((page! - 1) * size!, page! * size!));
    }
    if (this.isReadOnly) return reply(403, { message: 'Resource not accessible by integration' });
    const at = this.comments.findIndex((one) => one.id === Number(id));
    if (request.method === 'DELETE') {
      this.comments.splice(at, 1);
      return reply(204);
    }
    const { body } = JSON.parse(sent) as { body: string };
    if (body.length > 65_536) return reply(422, { message: 'body is too long' });
    if (request.method === 'PATCH') return reply(200, Object.assign(this.comments[at]!, { body }));
    this.comments.push({ id: this.comments.length + 1, body, user: { login: BOT } });
    return reply(201, this.comments.at(-1));
  }
}

describe('The comment on a pull request', () => {
  const github = new GitHubApi();
  let folder: string;
  let env: Record<string, string>;

  /** Runs the last step of the action as a runner would, with a `weir` that prints a text and exits with a code. */
  async function runStep(report: string, exitCode: number, more: Record<string, string> = {}) {
    const bin = join(folder, 'weir/node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(folder, 'printed'), report);
    const print = `printf %s "$WEIR_COMMENT_TOKEN" >'${join(folder, 'seen')}'\ncat '${join(folder, 'printed')}'`;
    writeFileSync(join(bin, 'weir'), `#!/bin/sh\n${print}\nexit ${exitCode}\n`);
    chmodSync(join(bin, 'weir'), 0o755);
    const action = parse(readFileSync('action.yml', 'utf8')) as { runs: { steps: { run?: string }[] } };
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', action.runs.steps.at(-1)!.run!], {
      env: { ...env, WEIR_ARGS: 'diff origin/main --format markdown', WEIR_COMMENT: 'diff', ...more },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exit = await new Promise<number | null>((ended) => child.on('close', ended));
    return { exit, output };
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-comment-'));
    const event = { pull_request: { number: 7, head: { sha: '0123456789abcdef0123' } } };
    writeFileSync(join(folder, 'event.json'), JSON.stringify(event));
    env = {
      PATH: `${join(process.execPath, '..')}:${process.env['PATH']}`,
      RUNNER_TEMP: folder,
      GITHUB_ACTION_PATH: resolve('.'),
      GITHUB_API_URL: await github.start(),
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
      GITHUB_REPOSITORY: 'acme/rules',
      GITHUB_RUN_ID: '99',
      GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
      WEIR_COMMENT_AUTHOR: BOT,
      WEIR_COMMENT_TOKEN: TOKEN,
    };
  });
  beforeEach(() => Object.assign(github, { comments: [], isReadOnly: false }));
  afterAll(async () => {
    await github.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is written once and updated in place by later runs, which exit as their command does', async () => {
    expect(await runStep('## What changes\n', 1)).toMatchObject({ exit: 1 });
    expect(github.comments.map(({ body }) => body)).toEqual([
      `${MARKER}\n## What changes\n\nOf commit 0123456789ab, ended with exit 1; [the log](https://github.com/acme/rules/actions/runs/99) has the rest.\n`,
    ]);
    expect(await runStep('nothing changes\n', 0)).toMatchObject({ exit: 0 });
    expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining('nothing changes')]);
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toBe('## What changes\nnothing changes\n');
  });

  it('is written with a token that the command cannot read, from a report that cannot give the runner commands', async () => {
    const { output } = await runStep('::error::made up', 0);
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe('');
    const [, stop] = /^::stop-commands::([\w-]{36})$/m.exec(output) ?? [];
    expect(output).toContain(`::stop-commands::${stop}\n::error::made up\n::${stop}::\n`);
    expect(github.comments[0]!.body).not.toContain(stop);
  });

  it('is found after more than a hundred other comments, and a duplicate made by concurrent runs is removed', async () => {
    const others = Array.from({ length: 130 }, (_, id) => ({ id, body: 'a remark', user: { login: 'somebody' } }));
    const own = [200, 201].map((id) => ({ id, body: `${MARKER}\nold`, user: { login: BOT } }));
    github.comments = [...others, ...own];
    await runStep('new', 0);
    expect(github.comments).toHaveLength(131);
    expect(github.comments.at(-1)).toMatchObject({ id: 200, body: expect.stringContaining('new') as string });
  });

  it('never replaces a comment with the same marker by another author, because that author could edit it later', async () => {
    github.comments = [{ id: 1, body: `${MARKER}\n0 weaker requests`, user: { login: 'somebody' } }];
    await runStep('1 weaker request', 1);
    expect(github.comments.map(({ body }) => body.includes('1 weaker'))).toEqual([false, true]);
  });

  it('is separate from the comment of another report', async () => {
    await runStep('a plan', 0, { WEIR_COMMENT: 'plan' });
    await runStep('a diff', 0);
    expect(github.comments).toHaveLength(2);
  });

  it('is truncated to the limit of GitHub at the end of a line, with its code block closed', async () => {
    await runStep(`## Plan\n\n\`\`\`\`diff\n${'+ a line of a policy\n'.repeat(10_000)}\`\`\`\`\n`, 0);
    expect(github.comments[0]!.body).toMatch(
      /\+ a line of a policy\n````\n\n\*\*The report is longer than a comment may be/,
    );
  });

  it('states that no report was printed if the command could not read the policies', async () => {
    expect(await runStep('', 3)).toMatchObject({ exit: 3 });
    expect(github.comments[0]!.body).toContain(
      'The command printed no report.\n\nOf commit 0123456789ab, ended with exit 3',
    );
  });

  it.each([
    ['a read-only token', 0, { isReadOnly: true }, {}, 'GitHub answered POST with 403; the job needs'],
    ['an invalid token', 1, {}, { WEIR_COMMENT_TOKEN: 'x' }, 'GitHub answered GET with 401'],
    ['no connection', 0, {}, { GITHUB_API_URL: 'http://127.0.0.1:1' }, 'fetch failed'],
  ])('keeps the exit code of the command and warns if there is %s', async (_, exit, state, more, why) => {
    Object.assign(github, state);
    const ended = await runStep('text', exit, more);
    expect(ended.exit).toBe(exit);
    expect(ended.output).toContain(`::warning title=no comment::the report is in the log of this run only: ${why}`);
    expect(ended.output).not.toContain(TOKEN);
  });

  it('is not written for a push, or if no comment is requested', async () => {
    writeFileSync(join(folder, 'push.json'), '{"ref":"refs/heads/main"}');
    const pushed = await runStep('text', 0, { GITHUB_EVENT_PATH: join(folder, 'push.json') });
    expect(pushed).toMatchObject({ exit: 0, output: expect.stringContaining('no pull request') as string });
    expect(await runStep('text', 1, { WEIR_COMMENT: '' })).toEqual({ exit: 1, output: 'text' });
    expect(github.comments).toEqual([]);
  });

  it('cannot have a name that would end its marker', async () => {
    expect(await runStep('text', 0, { WEIR_COMMENT: 'a-->b' })).toMatchObject({
      output: expect.stringContaining('::error::the name of a comment') as string,
    });
    expect(github.comments).toEqual([]);
  });
});

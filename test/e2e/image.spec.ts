/** Runs the steps of the Dockerfile without Docker, in a temporary folder that stands for the root of the image. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { releaseFile } from '../support/release-file.js';
import { freePort } from '../support/server-process.js';

/** The instructions of the Dockerfile, each on one line. */
const INSTRUCTIONS = readFileSync('Dockerfile', 'utf8').replaceAll(/\\\n/g, ' ').split('\n');

const argumentsOf = (name: string): string[] =>
  INSTRUCTIONS.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length).trim());

const listOf = (name: string): string[] => JSON.parse(argumentsOf(name)[0]!) as string[];

describe('The steps of the Dockerfile', () => {
  let root: string;
  const [building, finishing] = argumentsOf('RUN').map((run) => run.split(/\s+&&\s+/));
  const programsOf = (commands: readonly string[] = []): string[] => commands.map((command) => command.split(' ')[0]!);
  /** The same text with paths in the folder instead of paths in the image. */
  const inFolder = (text: string): string => text.replaceAll(/(?<=^|[\s=])\/(?=packed|app|data|usr)/g, `${root}/`);
  const path = (): string => `${root}/usr/local/bin:${resolve('node_modules/node/bin')}:${process.env['PATH']}`;

  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'weir-image-')));
    for (const folder of ['packed', 'usr/local/bin']) mkdirSync(join(root, folder), { recursive: true });
    const made = releaseFile('weir-server-', '.tgz');
    if (made !== undefined) copyFileSync(made, join(root, 'packed', basename(made)));
    else await promisify(execFile)(process.execPath, ['scripts/packages.mjs', 'server', join(root, 'packed')]);
  }, 600_000);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('are those that this test runs or replaces', () => {
    // The installed checkout replaces `npm ci`; `scripts/packages.mjs` has made the package.
    expect(programsOf(building)).toEqual(['npm', 'node', 'mkdir', 'tar']);
    expect(building?.[1]).toBe('node scripts/packages.mjs server /packed');
    // Removing npm, and the owner of a folder, have no effect on the files of Weir.
    expect(programsOf(finishing)).toEqual(['ln', 'rm', 'mkdir', 'chown']);
  });

  it('result in a service that starts with the settings of the image and passes its health check', async () => {
    const run = [...(building ?? []), ...(finishing ?? [])].filter((each) => /^(?:mkdir|tar|ln) /.test(each));
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', run.map(inFolder).join('\n')]);
    const settings = argumentsOf('ENV').flatMap((line) => [...line.matchAll(/(\w+)=(\S+)/g)]);
    expect(settings.length).toBeGreaterThan(3);
    const env = {
      ...Object.fromEntries(settings.map(([, name = '', value = '']) => [name, inFolder(value)])),
      ...{ PATH: path(), HOME: root, HOST: '127.0.0.1', PORT: String(await freePort()) },
    };
    const [program, ...words] = [...listOf('ENTRYPOINT'), ...listOf('CMD')];
    const [probe, ...probing] = JSON.parse(/^\s*CMD (\[.*\])$/m.exec(healthCheck())![1]!) as string[];
    const isHealthy = (): Promise<boolean> =>
      promisify(execFile)(probe!, probing, { env }).then(
        () => true,
        () => false,
      );
    expect(await isHealthy()).toBe(false);
    const server = spawn(program!, words, { cwd: inFolder(argumentsOf('WORKDIR').at(-1)!), env });
    const said: string[] = [];
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk: Buffer) => said.push(String(chunk)));
    try {
      const ended = once(server, 'exit').then(() => {
        throw new Error(said.join(''));
      });
      const ready = async (): Promise<void> => {
        while (!said.join('').includes('Weir is ready')) await once(server.stdout, 'data');
      };
      await Promise.race([ready(), ended]);
      expect(await isHealthy()).toBe(true);
    } finally {
      const gone = server.exitCode === null ? once(server, 'exit') : undefined;
      server.kill();
      await gone;
    }
  }, 120_000);
});

/** The instruction HEALTHCHECK with its command on a line of its own. */
function healthCheck(): string {
  const [line = ''] = argumentsOf('HEALTHCHECK');
  return line.replace(/\s+CMD /, '\nCMD ');
}

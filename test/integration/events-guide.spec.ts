import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PLUGINS } from '../../plugins/index.js';
import { ENVIRONMENTS } from '../../src/core/index.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const run = promisify(execFile);
/** Each command of the guide with the answer that it shows. */
const SHOWN = [
  ...readFileSync('docs/guides/events.md', 'utf8').matchAll(/```bash\n(curl [^]*?)```\n+```json\n([^]*?)```/g),
].map(([, command, answer]) => ({ command: command!, answer: JSON.parse(answer!) as object }));
const SHIPPED = ['_shared/baseline.yaml', '_shared/lists.yaml', ...ENVIRONMENTS.map((name) => `${name}/policy.yaml`)];

describe('The guide to events over REST', () => {
  let app: TestApp;
  beforeAll(async () => {
    const read = (name: string): [string, string] => [name, readFileSync(join('policies', name), 'utf8')];
    app = await startTestApp({ policies: Object.fromEntries(SHIPPED.map(read)), plugins: PLUGINS });
  }, 60_000);
  afterAll(() => app.close());

  it('shows an answer to each of its commands', () => {
    const commands = [...readFileSync('docs/guides/events.md', 'utf8').matchAll(/^curl /gm)];
    expect(SHOWN).toHaveLength(commands.length);
  });

  it.each(SHOWN)('shows the real answer of the service: $answer', async ({ command, answer }) => {
    const env = { PATH: process.env['PATH'], WEIR_BASE_URL: app.url, WEIR_API_KEY: app.bootstrap.keys.production };
    const { stdout } = await run('bash', ['-c', command], { env });
    expect(JSON.parse(stdout)).toMatchObject(answer);
  });
});

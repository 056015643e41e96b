/** The page about the API at `/docs` in a browser, and its examples run as programs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { CHROMIUM, launchChromium } from '../support/dashboard-browser.js';

const run = promisify(execFile);

interface Sample {
  readonly label: string;
  readonly source: string;
}
interface Documented {
  readonly paths: Record<string, Record<string, { readonly 'x-codeSamples': readonly Sample[] }>>;
}

/** The command that runs a program passed as text, for each language. */
const RUNNERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  curl: ['bash', '-c'],
  'Node.js': [process.execPath, '--input-type=module', '-e'],
  Python: ['python3', '-c'],
};

describe('The page about the API', () => {
  let app: TestApp;
  let documented: Documented;
  beforeAll(async () => {
    app = await startTestApp();
    documented = (await (await fetch(`${app.url}/docs/openapi.json`)).json()) as Documented;
  }, 60_000);
  afterAll(() => app.close());

  const execute = async ({ label, source }: Sample): Promise<string> => {
    const [command, ...argv] = RUNNERS[label]!;
    const env = {
      PATH: process.env['PATH'],
      WEIR_URL: app.url,
      WEIR_API_KEY: app.bootstrap.keys.production,
      WEIR_TOKEN: app.bootstrap.token,
    };
    return (await run(command, [...argv, source], { env })).stdout;
  };

  it('has an example of every operation in curl, Node.js and Python', () => {
    const without = Object.entries(documented.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) =>
        operation['x-codeSamples'].map(({ label }) => label).join() === 'curl,Node.js,Python'
          ? []
          : [`${method} ${path}`],
      ),
    );
    expect(without).toEqual([]);
    expect(Object.keys(documented.paths).length).toBeGreaterThan(60);
  });

  it.each(['curl', 'Node.js', 'Python'])('has examples in %s that work unchanged', async (language) => {
    const sampleOf = (method: string, path: string): Sample =>
      documented.paths[path]![method]!['x-codeSamples'].find(({ label }) => label === language)!;
    expect(await execute(sampleOf('post', '/v1/events'))).toContain('"decision":"allow"');
    expect(await execute(sampleOf('get', '/v1/apps'))).toContain('"name":"default"');
  });

  it('serves the same script compressed or uncompressed, as the client accepts', async () => {
    const [plain, packed] = await Promise.all(
      ['identity', 'gzip'].map(async (coding) => {
        const answer = await fetch(`${app.url}/docs/redoc.js`, { headers: { 'accept-encoding': coding } });
        return { coding: answer.headers.get('content-encoding'), text: await answer.text() };
      }),
    );
    expect([plain!.coding, packed!.coding]).toEqual([null, 'gzip']);
    expect(plain!.text).toBe(packed!.text);
    expect(plain!.text).toContain('MIT');
  });

  (CHROMIUM === undefined ? it.skip : it)(
    'shows routes, examples and ways to authenticate, and loads nothing from other origins',
    async () => {
      const browser = await launchChromium();
      try {
        const page = await browser.newPage();
        const refused: string[] = [];
        const elsewhere: string[] = [];
        page.on('request', (request) => {
          if (!request.url().startsWith(app.url) && !/^(?:data|blob):/.test(request.url()))
            elsewhere.push(request.url());
        });
        page.on('console', (message) => {
          if (message.type() === 'error') refused.push(message.text());
        });
        await page.goto(`${app.url}/docs#error-guardrail_unavailable`);
        await page.locator('#error-guardrail_unavailable').waitFor();
        await page.getByRole('heading', { name: /^Weir/ }).first().waitFor();
        await page.getByRole('tab', { name: 'Node.js' }).first().waitFor();
        await page.getByRole('tab', { name: 'Python' }).first().waitFor();
        for (const way of [
          'X-Service-Key: …',
          'Stripe-Signature: …',
          'Cookie: __Host-weir_session=…',
          'Authorization: Bearer …',
        ])
          expect(await page.getByText(way, { exact: true }).count()).toBeGreaterThan(0);
        expect(refused).toEqual([]);
        expect(elsewhere).toEqual([]);
      } finally {
        await browser.close();
      }
    },
    120_000,
  );
});

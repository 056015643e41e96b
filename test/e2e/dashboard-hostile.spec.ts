import type { BrowserContext } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { signedIn, type DashboardAccount } from '../support/dashboard-accounts.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { PAGES } from '../support/dashboard-states.js';
import { policyFile, testBundle } from '../support/deployments.js';
import { identityClient, PASSWORD, type IdentityAnswer } from '../support/identity-client.js';

/** Payloads that take effect if a page inserts a text as markup: as elements, attributes, addresses, templates, styles. */
const CORPUS = [
  '"><img src=x data-planted onerror=alert(1)>',
  "'><svg/onload=alert(2) data-planted>",
  '</script><script data-planted>alert(3)</script>',
  '</title></textarea><iframe data-planted srcdoc="<script>alert(4)</script>">',
  'javascript:alert(5)//',
  '{{constructor.constructor("alert(6)")()}}${alert(6)}',
  '<a data-planted href="javascript:alert(7)">x</a><style data-planted>*{display:none}</style>',
  '__proto__',
  '\u202e\u2066<b data-planted>txt.exe',
  '%3Cscript%3Ealert(8)%3C/script%3E &lt;img src=x onerror=alert(9)&gt;',
];
const pick = (n: number): string => CORPUS[n % CORPUS.length]!;
/** Characters that change the direction of text, and control characters. */
const TURNING = /[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u000e-\u001f]/;
/** Files of a bundle, whose names contain no such characters: payloads, a right-to-left name, and very long names. */
const FILES = [
  ...CORPUS.filter((text) => !TURNING.test(text)),
  'ملف السياسة',
  '%2e%2e%2f?a=b#L3',
  'x'.repeat(460),
  'long name '.repeat(40).trim(),
].map((name, index) => ({ path: `_shared/${name}.yaml`, text: `# file number ${index}\n` }));
/** Budgets per `metadata.team`, whose values are the texts; one budget has an id that is wider than a column. */
const BUDGETS = `
budgets:
${['team-day', `a-${'limit-of-agents-that-nobody-may-ever-pass-'.repeat(2)}in-a-month`]
  .map(
    (id) => `  - id: ${id}
    scope: [metadata.team]
    window: { per: day, timezone: UTC }
    limit: { usd: 1 }
    on_exceed: record
`,
  )
  .join('')}`;
/** The text as a double-quoted YAML string. */
const quoted = (text: string): string => JSON.stringify(text);

describeInChromium('Untrusted texts in the dashboard', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  let context: BrowserContext;
  let account: DashboardAccount;
  const calls: string[] = [];

  beforeAll(async () => {
    const email = 'hostile@example.com';
    await client.member(email);
    const signIn = await client.post('/auth/login', { email, password: PASSWORD }, undefined, {
      'user-agent': pick(0),
    });
    const cookie = signIn.cookie!;
    const ask = async (method: string, path: string, body?: object): Promise<IdentityAnswer['json']> => {
      const headers = {
        'content-type': 'application/json',
        cookie,
        'sec-fetch-site': 'same-origin',
        'user-agent': pick(1),
      };
      const answer = await client.send(method, path, headers, body === undefined ? undefined : JSON.stringify(body));
      if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      return answer.json;
    };
    const apps = [];
    for (const text of CORPUS) apps.push(await ask('POST', '/v1/apps', { name: visibleOnly(text) }));
    const { id } = apps[0];
    const keys = [];
    for (const text of CORPUS.slice(0, 4))
      keys.push(await ask('POST', `/v1/apps/${id}/keys`, { name: visibleOnly(text), environment: 'production' }));
    await ask('POST', '/v1/tokens', { name: visibleOnly(pick(2)), scopes: ['events:read'] });
    const view = { page: 'events', name: visibleOnly(pick(3)), query: 'outcome=blocked' };
    const { id: pin } = await ask('POST', '/v1/views', view);
    const plain = policyFile('x');
    const file = { ...plain, text: plain.text + BUDGETS };
    const named = { ...file, text: file.text.replace('title: x', `title: ${quoted(pick(1))}`) };
    for (const because of [pick(4), pick(8)]) {
      const bundle = testBundle('x', { files: because === pick(4) ? [file] : [named, ...FILES] });
      const { base } = await ask('GET', '/v1/policies/production');
      await ask('POST', '/v1/policies/production/deployments', { bundle, base, because: visibleOnly(because) });
    }
    for (const [n, text] of CORPUS.entries()) {
      const headers = {
        authorization: `Bearer ${keys[0].secret}`,
        'content-type': 'application/json',
        'user-agent': text.replace(/[^ -~]/g, '?'),
      };
      const common = { metadata: { team: text, [`k${n}`]: pick(n + 1), session_id: visibleOnly(text).slice(0, 60) } };
      for (const body of [
        {
          ...common,
          type: 'ai.request',
          request_id: `r${n}`,
          provider: 'openai',
          model: visibleOnly(text),
          payload: {
            messages: [
              { role: 'user', content: `${text} ssn-7` },
              { role: 'assistant', content: text },
            ],
          },
        },
        { ...common, type: 'agent.tool_call', payload: { tool: `t${n}<b data-planted>`, arguments: { [text]: text } } },
      ]) {
        const answer = await client.send('POST', '/v1/events', headers, JSON.stringify(body));
        if (![200, 400].includes(answer.status)) calls.push(`${answer.status} ${answer.text.slice(0, 300)}`);
      }
    }
    const { data } = await ask('GET', '/v1/events?limit=1&outcome=blocked');
    const [event] = data;
    await ask('PUT', `/v1/events/${event.id}/marks/words.block-ssn`, { mark: 'wrong', note: pick(0) });
    await ask('POST', '/v1/exports', { format: 'csv', filters: { q: 'alert', environment: 'production' } });
    const schedules = [];
    for (const text of CORPUS.slice(0, 8)) {
      const [name, due] = [visibleOnly(text).slice(0, 80), { every: 'day', hour: 2 }];
      schedules.push(await ask('POST', '/v1/export-schedules', { name, due, format: 'csv', filters: { q: text } }));
    }
    account = {
      ...{ email, cookie, app: id, event: event.id, session: encodeURIComponent(event.session_id) },
      schedule: schedules[0].id,
    };
    context = await signedIn(browser(), app().url, account);
    // Untrusted names are also in the navigation and in columns of the list.
    await context.addInitScript(
      (kept) => {
        const { localStorage } = globalThis as unknown as {
          localStorage: { setItem(name: string, value: string): void };
        };
        for (const [name, value] of Object.entries(kept)) localStorage.setItem(name, JSON.stringify(value));
      },
      { 'weir.pins': [pin], 'weir.columns': ['time', 'rule', 'app', 'metadata.team', `metadata.${pick(0)}`] },
    );
  }, 180_000);

  it('were accepted by the service, so that pages display them', () => {
    expect(calls).toEqual([]);
  });

  it('never run, break no page, and are displayed as text', async () => {
    const shown = new Map<string, string>();
    for (const [name, pathOf] of Object.entries(PAGES)) {
      const watched = await WatchedPage.open(context);
      const { page } = watched;
      await page.goto(`${app().url}${pathOf(account)}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await watched.settled();
      expect([name, await page.locator('[data-planted]').count()]).toEqual([name, 0]);
      expect([name, await watched.faults({ axe: 'none' })]).toEqual([name, []]);
      shown.set(name, await page.locator('body').innerText());
      if (name === 'call') {
        for (const tab of ['Explanation', 'Facts', 'Raw']) {
          await page.getByRole('tab', { name: tab }).click();
          await watched.settled();
          expect([tab, await page.locator('[data-planted]').count()]).toEqual([tab, 0]);
        }
      }
      await page.close();
    }
    for (const page of [
      'apps',
      'keys',
      'audit',
      'history',
      'tokens',
      'events',
      'call',
      'sessions',
      'session',
      'exports',
      'schedule',
    ])
      expect([page, /alert\(\d\)/.test(shown.get(page) ?? '')]).toEqual([page, true]);
  }, 240_000);

  it.each([1280, 390])(
    'as names of policy files do not change the text direction, the page width or the order of the files, at %i px',
    async (width) => {
      const viewport = { width, height: 800 };
      const narrow = await signedIn(browser(), app().url, account, { viewport });
      const watched = await WatchedPage.open(narrow);
      const { page } = watched;
      for (const path of ['files', 'diff', 'history']) {
        await page.goto(`${app().url}/policies/production/${path}`);
        await watched.settled();
        if (path !== 'history') await page.getByText('ملف السياسة.yaml').first().waitFor();
        expect([path, TURNING.exec(await page.getByRole('main').innerText())]).toEqual([path, null]);
        expect([path, await page.locator('[data-planted]').count()]).toEqual([path, 0]);
        expect([path, await watched.faults({ axe: 'none' })]).toEqual([path, []]);
      }
      await page.goto(`${app().url}/policies/production/files`);
      const links = page.getByRole('navigation', { name: 'Files' }).getByRole('link');
      await links.first().waitFor();
      const inOrder = [...FILES].sort((one, other) => (one.path < other.path ? -1 : 1));
      for (const [at, { text }] of inOrder.entries()) {
        await links.nth(at).click();
        await page.locator('.cm-content').getByText(text.trim(), { exact: true }).waitFor();
      }
      expect(await watched.faults({ axe: 'none' })).toEqual([]);
      await narrow.close();
    },
    240_000,
  );

  it('leave no new key in a page that the browser may keep in memory after it was left', async () => {
    const page = await context.newPage();
    await page.goto(`${app().url}/apps/${account.app}/settings/keys`);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('third');
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    const shown = page.getByLabel('The new key');
    const secret = await shown.inputValue();
    // As browsers report that the page is left.
    await page.evaluate('dispatchEvent(new Event("pagehide"))');
    await shown.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    await page.close();
  }, 60_000);

  it('leave no new key in the browser after its page is closed', async () => {
    const page = await context.newPage();
    await page.goto(`${app().url}/apps/${account.app}/settings/keys`);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('second');
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    const secret = await page.getByLabel('The new key').inputValue();
    expect(secret).toMatch(/^sk_/);
    for (let times = 0; times < 2; times++)
      await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('table').waitFor();
    const left = await page.evaluate(async () => {
      const self = globalThis as unknown as {
        document: { documentElement: { outerHTML: string }; cookie: string };
        localStorage: object;
        sessionStorage: object;
        history: { state: unknown };
        location: object;
        caches: { keys(): Promise<string[]> };
        indexedDB: { databases(): Promise<object[]> };
        performance: { getEntries(): object[] };
      };
      return JSON.stringify([
        self.document.documentElement.outerHTML,
        self.document.cookie,
        self.localStorage,
        self.sessionStorage,
        self.history.state,
        String(self.location),
        await self.caches.keys(),
        await self.indexedDB.databases(),
        self.performance.getEntries(),
      ]);
    });
    expect(left).not.toContain(secret);
    await page.goBack();
    await page.getByRole('button', { name: 'Create a key' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.close();
  }, 60_000);
});

/** The text, truncated to the length of a name. */
function visibleOnly(text: string): string {
  return text.slice(0, 90);
}

import type { BrowserContext, Page, Route } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, signedIn, type DashboardAccount } from '../support/dashboard-accounts.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { identityClient } from '../support/identity-client.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

describeInChromium('A page of lists and figures', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  const options = { viewport: { width: 1280, height: 900 } };
  let account: DashboardAccount;
  let context: BrowserContext;
  let watched: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    account = await dashboardAccount(app, 'many');
    context = await signedIn(browser(), app().url, account, options);
  }, 120_000);
  beforeEach(async () => {
    watched = await WatchedPage.open(context);
    ({ page } = watched);
  });
  afterEach(async () => {
    expect(await watched.faults()).toEqual([]);
    await page.close();
  });

  const open = (path: string): Promise<unknown> => page.goto(`${app().url}${path}`);
  const asked = (name: string): string => new URL(page.url()).searchParams.get(name) ?? '';
  const calls = (counted: string): Promise<void> =>
    page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^${counted} call`) })
      .waitFor();

  /** The first page of a list ends early, as in a log that is too long to be searched at once; the next one has the entries. */
  const endEarly = (filter: string): Promise<unknown> =>
    page.route(
      ({ pathname, searchParams }) => pathname === '/v1/events' && searchParams.has(filter),
      async (route) => {
        const url = new URL(route.request().url());
        if (url.searchParams.get('cursor') !== 'further') {
          const early = { data: [], next_cursor: 'further', searched_to: '2026-01-02T03:04:05.000Z' };
          return route.fulfill({ json: early });
        }
        url.searchParams.delete('cursor');
        return route.fulfill({ response: await route.fetch({ url: url.href }) });
      },
    );

  it('does not say that a rule has not fired if the search for its hits ended early', async () => {
    await endEarly('rule');
    await open('/policies/production/rules/words.block-ssn');
    const hits = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Latest hits' }) });
    await hits.getByText(/^Nothing matches so far\. Searched back to .*2/).waitFor();
    expect(await hits.getByText('has not fired').count()).toBe(0);
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await hits.getByRole('button', { name: 'Look further back' }).click();
    await hits.getByRole('listitem').first().waitFor();
    await hits.getByRole('button', { name: 'Look further back' }).waitFor({ state: 'detached' });
  }, 60_000);

  it('does not say that a session has no calls if the search for them ended early', async () => {
    await endEarly('session');
    await open(`/sessions/${account.session}?app=${account.app}`);
    await page.getByText(/^Nothing matches so far\. Searched up to .*2/).waitFor();
    expect(await page.getByText('has no calls').count()).toBe(0);
    await page.getByRole('button', { name: 'Look further' }).click();
    await page.getByRole('treeitem').first().waitFor();
    await watched.settled();
  }, 60_000);

  it('marks the shown view, in whatever order its filters were chosen', async () => {
    const views = page.getByRole('group', { name: 'Views' });
    await open('/events?mark=right');
    await views.getByRole('button', { name: 'To judge' }).click();
    await views.getByRole('button', { name: 'To judge', pressed: true }).waitFor();
    const view = { page: 'events', name: 'Numbers', query: 'outcome=blocked&rule=words.block-ssn', shared: false };
    expect((await client.post('/v1/views', view, account.cookie)).status).toBeLessThan(300);
    await open('/events?rule=words.redact-mail');
    await views.getByRole('button', { name: 'Numbers' }).click();
    await views.getByRole('button', { name: 'Numbers', pressed: true }).waitFor();
    await views.getByRole('button', { name: 'Delete view' }).waitFor();
    expect(await views.getByRole('button', { name: 'Save view' }).count()).toBe(0);
    await watched.settled();
  }, 60_000);

  it('gives no position of a call that was counted only in part', async () => {
    const whole = { count: 12, capped: false, searched_to: null };
    const part = { count: 2, capped: true, searched_to: '2026-01-02T03:04:05.000Z' };
    const side = page.getByRole('complementary', { name: 'Details' });
    for (const [upTo, all, shown] of [
      [part, whole, /Turn\s+–/],
      [whole, part, /Turn\s+12 of 12 or more/],
    ] as const) {
      await page.route('**/v1/events/count?*', (route) =>
        route.fulfill({ json: new URL(route.request().url()).searchParams.has('to') ? upTo : all }),
      );
      await open(`/events/${account.event}`);
      await watched.settled();
      expect(await side.innerText()).toMatch(shown);
    }
  }, 60_000);

  it('leads to the last call, however old it is', async () => {
    const at = new Date(Date.now() - 120 * DAY_MS).toISOString();
    await page.route(
      ({ pathname, searchParams }) => pathname === '/v1/events' && searchParams.get('limit') === '1',
      changed((found: { readonly data: readonly object[] }) => ({
        ...found,
        data: found.data.map((event) => ({ ...event, received_at: at })),
      })),
    );
    await open('/?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z');
    await page.getByRole('button', { name: 'Go there' }).click();
    await page.waitForURL(
      ({ searchParams: of }) => !of.has('range') && (of.get('from') ?? '') < at && at < (of.get('to') ?? ''),
    );
    await watched.settled();
  }, 60_000);

  it('links the number of blocked calls of an app to exactly these calls', async () => {
    const answered = page.waitForResponse((response) => response.url().includes('group_by=app'));
    await open('/apps');
    const { from } = (await (await answered).json()) as { readonly from: string };
    const link = page.locator('td[data-label=blocked] a');
    const counted = await link.innerText();
    await link.click();
    await page.waitForURL('**/events?*outcome=blocked*');
    expect([asked('from'), asked('range')]).toEqual([from, '']);
    await calls(counted);
    await watched.settled();
  }, 60_000);

  it('links the uses of an exception to the calls since the full hour at which the count begins', async () => {
    await open('/policies/production/exceptions');
    const link = page.locator('td[data-label=excepted] a');
    // The text of an element that is not shown yet is empty.
    await link.filter({ hasText: /^\d/ }).waitFor();
    const counted = await link.innerText();
    await link.click();
    await page.waitForURL('**/events?*exception=EX-1*');
    expect(asked('range')).toBe('');
    expect(Date.parse(asked('from')) % HOUR_MS).toBe(0);
    await calls(counted);
    await watched.settled();
  }, 60_000);

  it('shows the exact end of an exception in the chosen time zone, alike in the list and at its rules', async () => {
    await page.close();
    const own = await signedIn(browser(), app().url, account, options);
    await own.addInitScript(() => {
      const inside = globalThis as unknown as { localStorage: { setItem(name: string, value: string): void } };
      inside.localStorage.setItem('weir.zone', 'Asia/Tokyo');
    });
    watched = await WatchedPage.open(own);
    ({ page } = watched);
    for (const path of ['exceptions', 'rules/words.flag-token']) {
      await open(`/policies/production/${path}`);
      await page.getByText('2099-01-01 09:00:00.000 UTC+9').waitFor();
      await watched.settled();
      expect(await watched.faults()).toEqual([]);
    }
  }, 60_000);

  it('has the singular after a one', async () => {
    await page.route(
      '**/v1/policies/production/deployments?*',
      changed((found: { readonly data: readonly object[] }) => ({
        ...found,
        data: found.data.map((deployment) => ({ ...deployment, waived_tests: ['one'] })),
      })),
    );
    await open('/policies/production/history');
    await page.getByText('1 test waived', { exact: true }).first().waitFor();
    await watched.settled();
    const quiet = (await client.post('/v1/apps', { name: 'quiet' }, account.cookie)).json as { readonly id: string };
    const refused = [{ status: 401, type: 'unauthenticated', count: 1, last_at: new Date().toISOString() }];
    await page.route(`**/v1/apps/${quiet.id}/reception`, (route) =>
      route.fulfill({ json: { last_event_at: null, refused } }),
    );
    await page.clock.install();
    await open(`/apps/${quiet.id}/setup`);
    await page.getByText('Waiting for the first event').waitFor();
    await page.clock.runFor(61_000);
    await page.getByText('1 call was refused with 401 (unauthenticated) in the last minutes.').waitFor();
  }, 60_000);
});

/** Answers with the service's answer, changed. */
function changed<T>(change: (found: T) => object): (route: Route) => Promise<void> {
  return async (route) => {
    const response = await route.fetch();
    return route.fulfill({ response, json: change((await response.json()) as T) });
  };
}

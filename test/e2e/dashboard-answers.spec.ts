import type { Route } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { pageOfEachTest } from '../support/dashboard-pages.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { identityClient } from '../support/identity-client.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

describeInChromium('A page of lists and figures', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  const tab = pageOfEachTest(browser, app, { data: 'many' });
  const { account, goTo, asked, otherContext, moveTo } = tab;

  const calls = (counted: string): Promise<void> =>
    tab.page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^${counted} call`) })
      .waitFor();

  /** The first page of a list ends early, as in a log that is too long to be searched at once; the next one has the entries. */
  const endEarly = (filter: string): Promise<unknown> =>
    tab.page.route(
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
    await goTo('/policies/production/rules/words.block-ssn');
    const hits = tab.page.locator('section').filter({ has: tab.page.getByRole('heading', { name: 'Latest hits' }) });
    await hits.getByText(/^Nothing matches so far\. Searched back to .*2/).waitFor();
    expect(await hits.getByText('has not fired').count()).toBe(0);
    await tab.watched.settled();
    expect(await tab.watched.faults()).toEqual([]);
    await hits.getByRole('button', { name: 'Look further back' }).click();
    await hits.getByRole('listitem').first().waitFor();
    await hits.getByRole('button', { name: 'Look further back' }).waitFor({ state: 'detached' });
  }, 60_000);

  it('does not say that a session has no calls if the search for them ended early', async () => {
    await endEarly('session');
    await goTo(`/sessions/${account().session}?app=${account().app}`);
    await tab.page.getByText(/^Nothing matches so far\. Searched up to .*2/).waitFor();
    expect(await tab.page.getByText('has no calls').count()).toBe(0);
    await tab.page.getByRole('button', { name: 'Look further' }).click();
    await tab.page.getByRole('treeitem').first().waitFor();
  }, 60_000);

  it('marks the shown view, in whatever order its filters were chosen', async () => {
    const views = tab.page.getByRole('group', { name: 'Views' });
    await goTo('/events?mark=right');
    await views.getByRole('button', { name: 'To judge' }).click();
    await views.getByRole('button', { name: 'To judge', pressed: true }).waitFor();
    const view = { page: 'events', name: 'Numbers', query: 'outcome=blocked&rule=words.block-ssn', shared: false };
    expect((await client.post('/v1/views', view, account().cookie)).status).toBeLessThan(300);
    await goTo('/events?rule=words.redact-mail');
    await views.getByRole('button', { name: 'Numbers' }).click();
    await views.getByRole('button', { name: 'Numbers', pressed: true }).waitFor();
    await views.getByRole('button', { name: 'Delete view' }).waitFor();
    expect(await views.getByRole('button', { name: 'Save view' }).count()).toBe(0);
  }, 60_000);

  it('gives no position of a call that was counted only in part', async () => {
    const whole = { count: 12, capped: false, searched_to: null };
    const part = { count: 2, capped: true, searched_to: '2026-01-02T03:04:05.000Z' };
    const side = tab.page.getByRole('complementary', { name: 'Details' });
    for (const [upTo, all, shown] of [
      [part, whole, /Turn\s+–/],
      [whole, part, /Turn\s+12 of 12 or more/],
    ] as const) {
      await tab.page.route('**/v1/events/count?*', (route) =>
        route.fulfill({ json: new URL(route.request().url()).searchParams.has('to') ? upTo : all }),
      );
      await goTo(`/events/${account().event}`);
      await tab.watched.settled();
      expect(await side.innerText()).toMatch(shown);
    }
  }, 60_000);

  it('leads to the last call, however old it is', async () => {
    const at = new Date(Date.now() - 120 * DAY_MS).toISOString();
    await tab.page.route(
      ({ pathname, searchParams }) => pathname === '/v1/events' && searchParams.get('limit') === '1',
      changed((found: { readonly data: readonly object[] }) => ({
        ...found,
        data: found.data.map((event) => ({ ...event, received_at: at })),
      })),
    );
    await goTo('/?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z');
    await tab.page.getByRole('button', { name: 'Go there' }).click();
    await tab.page.waitForURL(
      ({ searchParams: of }) => !of.has('range') && (of.get('from') ?? '') < at && at < (of.get('to') ?? ''),
    );
  }, 60_000);

  it('links the number of blocked calls of an app to exactly these calls', async () => {
    const answered = tab.page.waitForResponse((response) => response.url().includes('group_by=app'));
    await goTo('/apps');
    const { from } = (await (await answered).json()) as { readonly from: string };
    const link = tab.page.locator('td[data-label=blocked] a');
    const counted = await link.innerText();
    await link.click();
    await tab.page.waitForURL('**/events?*outcome=blocked*');
    expect([asked('from'), asked('range')]).toEqual([from, null]);
    await calls(counted);
  }, 60_000);

  it('links the uses of an exception to the calls since the full hour at which the count begins', async () => {
    await goTo('/policies/production/exceptions');
    const link = tab.page.locator('td[data-label=excepted] a');
    // The text of an element that is not shown yet is empty.
    await link.filter({ hasText: /^\d/ }).waitFor();
    const counted = await link.innerText();
    await link.click();
    await tab.page.waitForURL('**/events?*exception=EX-1*');
    expect(asked('range')).toBeNull();
    expect(Date.parse(asked('from') ?? '') % HOUR_MS).toBe(0);
    await calls(counted);
  }, 60_000);

  it('shows the exact end of an exception in the chosen time zone, alike in the list and at its rules', async () => {
    const own = await otherContext();
    await own.addInitScript({ content: "localStorage.setItem('weir.zone', 'Asia/Tokyo')" });
    await moveTo(own);
    for (const path of ['exceptions', 'rules/words.flag-token']) {
      await goTo(`/policies/production/${path}`);
      await tab.page.getByText('2099-01-01 09:00:00.000 UTC+9').waitFor();
      await tab.watched.settled();
      expect(await tab.watched.faults()).toEqual([]);
    }
  }, 60_000);

  it('has the singular after a one', async () => {
    await tab.page.route(
      '**/v1/policies/production/deployments?*',
      changed((found: { readonly data: readonly object[] }) => ({
        ...found,
        data: found.data.map((deployment) => ({ ...deployment, waived_tests: ['one'] })),
      })),
    );
    await goTo('/policies/production/history');
    await tab.page.getByText('1 test waived', { exact: true }).first().waitFor();
    await tab.watched.settled();
    const { json: quiet } = await client.post('/v1/apps', { name: 'quiet' }, account().cookie);
    const refused = [{ status: 401, type: 'unauthenticated', count: 1, last_at: new Date().toISOString() }];
    await tab.page.route(`**/v1/apps/${quiet.id}/reception`, (route) =>
      route.fulfill({ json: { last_event_at: null, refused } }),
    );
    await tab.page.clock.install();
    await goTo(`/apps/${quiet.id}/setup`);
    await tab.page.getByText('Waiting for the first event').waitFor();
    await tab.page.clock.runFor(61_000);
    await tab.page.getByText('1 call was refused with 401 (unauthenticated) in the last minutes.').waitFor();
  }, 60_000);
});

/** Answers with the service's answer, changed. */
function changed<T>(change: (found: T) => object): (route: Route) => Promise<void> {
  return async (route) => {
    const response = await route.fetch();
    return route.fulfill({ response, json: change((await response.json()) as T) });
  };
}

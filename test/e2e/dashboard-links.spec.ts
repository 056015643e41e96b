import type { BrowserContext, Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, signedIn, type DashboardAccount } from '../support/dashboard-accounts.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { identityClient } from '../support/identity-client.js';

describeInChromium('Links and addresses of the dashboard', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  let account: DashboardAccount;
  let context: BrowserContext;
  let watched: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    account = await dashboardAccount(app, 'many');
    context = await signedIn(browser(), app().url, account, { viewport: { width: 1280, height: 900 } });
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
  const address = (): URL => new URL(page.url());
  const asked = (name: string): string | null => address().searchParams.get(name);
  /** Whether the page is still the one that `markPage` marked: another one would have been loaded from the service. */
  const isSamePage = (): Promise<unknown> => page.evaluate('globalThis.isMarked === true');
  const markPage = (): Promise<unknown> => page.evaluate('globalThis.isMarked = true');

  it('open what needs attention without loading the dashboard again, and in the time range of the entry', async () => {
    const entry = {
      ...{ id: 'marks_open:production:words.block-ssn', kind: 'marks_open', severity: 'info', since: null },
      ...{ environment: 'production', text_args: { rule: 'words.block-ssn', wrong: 0, missed: 1 }, count: 1 },
      link: '/events?env=production&range=90d&mark=missed&rule=words.block-ssn',
    };
    const data = Array.from({ length: 9 }, (_, n) => ({ ...entry, id: `${entry.id} ${n}` }));
    await page.route('**/v1/attention?*', (route) =>
      route.fulfill({ json: { checked_at: new Date().toISOString(), data } }),
    );
    await open('/?from=2026-01-01T00:00:00.000Z&to=2026-01-02T00:00:00.000Z&env=staging');
    await page.getByText('2 more, less urgent: weir attention lists all.').waitFor();
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await markPage();
    await page
      .getByRole('link', { name: /^See 1: words\.block-ssn was marked missed once/ })
      .first()
      .click();
    await page.waitForURL('**/events?*');
    expect([asked('env'), asked('range'), asked('mark'), asked('rule'), asked('from'), asked('to')]).toEqual([
      ...['production', '90d', 'missed', 'words.block-ssn', null, null],
    ]);
    await watched.settled();
    expect(await isSamePage()).toBe(true);
  }, 60_000);

  it('lead from a list of events to its export without loading the dashboard again', async () => {
    await open('/events?outcome=blocked&range=7d');
    await watched.settled();
    await markPage();
    await page.getByRole('link', { name: 'Export', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Exports' }).waitFor();
    expect([asked('outcome'), asked('range'), await isSamePage()]).toEqual(['blocked', '7d', true]);
    await watched.settled();
  }, 60_000);

  it('open the setup guide of an app until its first event, and then its settings', async () => {
    const { json } = await client.post('/v1/apps', { name: 'not yet called' }, account.cookie);
    const { id } = json as { readonly id: string };
    await open(`/apps/${id}`);
    await page.waitForURL(`**/apps/${id}/setup`);
    await page.getByText('Waiting for the first event of not yet called').waitFor();
    await page.getByRole('link', { name: 'its settings' }).click();
    await page.waitForURL(`**/apps/${id}/settings`);
    await open(`/apps/${account.app}`);
    await page.waitForURL(`**/apps/${account.app}/settings`);
    await open('/apps/new');
    await page.waitForURL('**/apps/new/setup');
    await watched.settled();
  }, 60_000);

  it('show the name of the app that is opened, not one that was typed for another app', async () => {
    const { json } = await client.post('/v1/apps', { name: 'another app' }, account.cookie);
    const { id } = json as { readonly id: string };
    await open(`/apps/${id}/settings/danger`);
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('typed for another app');
    await page.evaluate(`history.pushState(null, '', '/apps/${account.app}/settings/danger')`);
    await page.evaluate('dispatchEvent(new PopStateEvent("popstate", { state: null }))');
    await page.getByRole('button', { name: /^Archive many/ }).waitFor();
    expect(await name.inputValue()).toMatch(/^many/);
    await watched.settled();
  }, 60_000);

  it('open a row of events in a new tab with the key of the system or the middle button', async () => {
    await open('/events');
    const row = page.getByRole('row').nth(1);
    await row.waitFor();
    for (const press of [{ modifiers: ['ControlOrMeta'] }, { button: 'middle' }] as const) {
      const [tab] = await Promise.all([context.waitForEvent('page'), row.click(press as object)]);
      await tab.waitForURL('**/events/*event_app=*');
      await tab.getByRole('tab', { name: 'Conversation' }).waitFor();
      await tab.close();
    }
    expect(address().pathname).toBe('/events');
    await watched.settled();
  }, 60_000);

  it('do not show another file of a policy than the named one', async () => {
    await open('/policies/production/files/production/renamed.yaml#L47');
    await page.getByText('The policy in force in production does not have the file production/renamed.yaml.').waitFor();
    expect(await page.getByRole('navigation', { name: 'Files' }).locator('[aria-current]').count()).toBe(0);
    await page.getByRole('navigation', { name: 'Files' }).getByRole('link').first().click();
    await page.getByRole('navigation', { name: 'Files' }).locator('[aria-current=page]').waitFor();
    await watched.settled();
  }, 60_000);

  it('keep the chart of the overview and the selection of rules', async () => {
    await open('/');
    await page.getByLabel('Value shown in the chart').selectOption('cost');
    await page.waitForURL('**/?*chart=cost*');
    await page.getByLabel('Group the chart by').selectOption('model');
    await page.waitForURL('**/?*chart=cost.model*');
    await watched.settled();
    await page.reload();
    await page.getByRole('heading', { name: /^Cost/ }).waitFor();
    expect(await page.getByLabel('Group the chart by').inputValue()).toBe('model');
    await watched.settled();
    await open('/policies/production');
    await page.getByRole('searchbox', { name: 'Find a rule' }).fill('shell');
    await page.waitForURL('**find=shell*');
    await page.getByRole('link', { name: 'tool.block-shell' }).click();
    await page.waitForURL('**/rules/tool.block-shell*');
    expect(asked('find')).toBeNull();
    await page.goBack();
    await page
      .getByRole('status')
      .getByText(/^1 of \d+ rules$/)
      .waitFor();
    expect(await page.getByRole('searchbox', { name: 'Find a rule' }).inputValue()).toBe('shell');
    await watched.settled();
  }, 60_000);

  it('lead from a session to the rules that fired in it', async () => {
    await open(`/sessions/${account.session}?app=${account.app}`);
    const sums = page.locator('.session-sums');
    await sums.getByText(/· Weir added [\d.]+ m?s · 3 rules fired: /).waitFor();
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await sums.getByRole('link', { name: 'words.flag-token' }).click();
    await page.waitForURL('**/policies/production/rules/words.flag-token');
    await watched.settled();
  }, 60_000);

  it('name some of many rules of a session, and lead to the calls of the others', async () => {
    const rules = ['a.one', 'b.two', 'c.three', 'd.four', 'e.five'];
    await page.route('**/v1/sessions?*', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { readonly data: readonly object[] };
      return route.fulfill({ json: { data: data.map((row) => ({ ...row, rules })), next_cursor: null } });
    });
    await open(`/sessions/${account.session}?app=${account.app}`);
    await page.locator('.session-sums').getByRole('link', { name: '2 more' }).click();
    await page.waitForURL('**/events?*');
    expect([asked('session'), asked('rule'), asked('app')]).toEqual([account.session, 'd.four,e.five', account.app]);
    await watched.settled();
  }, 60_000);

  it('say that the totals of a session could not be loaded, and show its calls', async () => {
    await watched.leave({ allowsRefusals: true });
    let isDown = true;
    await page.route('**/v1/sessions?*', (route) => (isDown ? route.fulfill({ status: 500 }) : route.continue()));
    await open(`/sessions/${account.session}?app=${account.app}`);
    await page.getByRole('alert').getByText('The totals could not be loaded.').waitFor();
    await page.getByRole('treeitem').first().waitFor();
    isDown = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(/rules fired: /).waitFor();
    await watched.settled();
  }, 60_000);
});

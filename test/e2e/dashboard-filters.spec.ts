import type { BrowserContext, Page, Route } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, signedIn, type DashboardAccount } from '../support/dashboard-accounts.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';

describeInChromium('Filters, links and forms of the dashboard', (browser) => {
  const app = appWithProvider();
  let account: DashboardAccount;
  let context: BrowserContext;
  let watched: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    account = await dashboardAccount(app, 'many');
    context = await signedIn(browser(), app().url, account, { viewport: { width: 1280, height: 900 } });
  }, 120_000);
  beforeEach(async () => {
    watched = await WatchedPage.open(context, { allowsRefusals: true });
    ({ page } = watched);
  });
  afterEach(async () => {
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await page.close();
  });

  const open = (path: string): Promise<unknown> => page.goto(`${app().url}${path}`);
  const asked = (name: string): string | null => new URL(page.url()).searchParams.get(name);
  const search = async (text: string): Promise<void> => {
    await page.getByRole('main').getByRole('searchbox').fill(text);
    await page.keyboard.press('Enter');
  };
  const chart = (label: RegExp) => page.getByRole('group', { name: label });

  it('add typed values, and keep the list while they are not understood', async () => {
    await open('/events?outcome=blocked');
    await page.getByRole('row').filter({ hasText: 'words.block-ssn' }).first().waitFor();
    await search('outcome:foo');
    await page.getByText('“foo” is not one of allowed').waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'words.block-ssn' }).count()).toBeGreaterThan(0);
    expect(asked('outcome')).toBe('blocked');
    await search('outcome:redacted metadata.cost-center:42');
    await page.waitForURL((url) => url.searchParams.get('metadata.cost-center') === '42');
    expect(asked('outcome')).toBe('blocked,redacted');
    await page.getByText('No event matches.').waitFor();
  }, 120_000);

  it('have a chart of the chosen outcomes, of unmarked calls and of the hits of a rule, which can be zoomed', async () => {
    await open('/events?outcome=blocked,redacted&mark=none');
    await chart(/^Calls over time: 16 in total/).waitFor();
    await page.getByText('The bars also count calls with a mark.').waitFor();
    await open('/events?rule=words.block-ssn');
    await chart(/^Hits of the rule over time: 8 in total/).waitFor();
    await open('/events?rule=words.block-ssn,words.no-such');
    await chart(/^Hits of the selected rules over time: 8 in total/).waitFor();
    await page.getByText('a call in which several of these rules fired counts once for each').waitFor();
    await open('/events?outcome=blocked');
    const bars = chart(/^Calls over time: 8 in total/);
    const box = await bars.boundingBox();
    if (box === null) throw new Error('the chart is not visible');
    await page.mouse.move(box.x + box.width * 0.3, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.9, box.y + 20);
    await page.mouse.up();
    await page.waitForURL((url) => url.searchParams.has('from') && url.searchParams.has('to'));
    expect(asked('outcome')).toBe('blocked');
  }, 120_000);

  it.each([
    ['late', (route: Route) => route.continue()],
    ['never', (route: Route) => route.fulfill({ status: 500 })],
  ])(
    'by app show their calls at once, and move nothing if the names of apps arrive %s',
    async (_, answer) => {
      let goOn: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (goOn = resolve));
      await page.route('**/v1/apps', async (route) => {
        await held;
        await answer(route);
      });
      await page.setViewportSize({ width: 390, height: 844 });
      await open(`/events?app=${account.app}`);
      await page.getByRole('row').nth(1).waitFor();
      await page.getByRole('button', { name: 'Change App: …' }).waitFor();
      goOn();
      await page.getByRole('button', { name: /^Change App: [^…]+$/ }).waitFor();
      await watched.settled();
      expect(await watched.jumps(0.02)).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 900 });
    },
    120_000,
  );

  it('report parameters of a link that have no effect', async () => {
    await open('/events?rule=words.redact-mail&rule=words.block-ssn');
    const notice = page.locator('.notice');
    await notice.getByText('This link contains rule several times. Only its last value is used.').waitFor();
    await notice.getByRole('button', { name: 'Remove the others' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.getAll('rule')).toEqual(['words.block-ssn']);
    await open('/budgets?to=2026-11-02T00:00:00Z');
    await notice
      .getByText('This link has an end of the time range (to) but no start, so the range is ignored.')
      .waitFor();
    await notice.getByRole('button', { name: 'Remove' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(asked('to')).toBeNull();
    await open('/?range=constructor');
    await notice.getByText('This link has a time range that this version does not support: range.').waitFor();
    await page.getByRole('button', { name: '24 h, time' }).waitFor();
  }, 120_000);

  it('keep the environment of a policy that was opened on the overview', async () => {
    await open('/');
    await page.getByRole('main').getByRole('link', { name: 'staging', exact: true }).click();
    await page.waitForURL('**/policies/staging?*env=staging*');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Events', exact: true }).click();
    await page.waitForURL('**/events?*env=staging*');
    await open('/?range=7d');
    const deployment = page.getByRole('link', { name: 'Deployment 2 of production' });
    expect(await deployment.getAttribute('href')).toBe('/policies/production/diff?range=7d&was=1&is=2');
  }, 120_000);

  it('show the amount after an adjustment before it is made, and the forecast of each scope', async () => {
    await open('/budgets/production/team-day');
    await page.getByRole('columnheader', { name: 'Forecast' }).waitFor();
    const row = page.getByRole('row', { name: /team 1/ });
    await row.getByRole('button', { name: 'Adjust' }).click();
    const dialog = page.getByRole('dialog', { name: 'Adjust team-day' });
    await dialog.getByLabel('Amount in dollars').fill('+0.25');
    await dialog.getByText('Used afterwards: $0.25').waitFor();
    await dialog.getByLabel('Reason').fill('counted elsewhere');
    await dialog.getByRole('button', { name: 'Adjust' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByText('$0.25 of $1.00').waitFor();
    await page.getByText('Ledger and log agree.').waitFor();
  }, 120_000);

  it('say how much ledger and log of a budget differ', async () => {
    await page.route('**/v1/budget-audit', async (route) => {
      const { data } = (await (await route.fetch()).json()) as { readonly data: readonly object[] };
      const lines = data.map((line, index) => (index === 0 ? { ...line, events: '2.50', exact: false } : line));
      await route.fulfill({ json: { exact: false, unsettled_events: 0, data: lines } });
    });
    await open('/budgets/production/team-day');
    await page.getByText(/: the ledger has \$\d\.\d\d less than the log\./).waitFor();
  }, 120_000);

  it('do not say that a request succeeded while the next one failed', async () => {
    const answers = [
      { status: 202, json: {} },
      { status: 422, json: { error: { type: 'invalid_request', message: 'The address cannot be used' } } },
    ];
    await page.route('**/auth/email', (route) => route.fulfill(answers.shift() ?? {}));
    await open('/settings/profile');
    const send = async (): Promise<void> => {
      await page.getByLabel('New e-mail address').fill('other@example.com');
      await page.getByLabel('Password').fill('some password');
      await page.getByRole('button', { name: 'Send a confirmation link' }).click();
    };
    await send();
    const sent = page.getByText('A link was sent to the new address.');
    await sent.waitFor();
    await send();
    await page.getByText('The address cannot be used').waitFor();
    expect(await sent.count()).toBe(0);
  }, 120_000);

  it('of an export accept several values, one after another, and are checked', async () => {
    await open('/exports?outcome=blocked');
    await page.getByText('about 8 events; the list in Events has 8 calls').waitFor();
    await page.getByRole('button', { name: 'New schedule' }).click();
    const dialog = page.getByRole('dialog', { name: 'New schedule' });
    const filters = dialog.getByRole('list', { name: 'Filters' });
    const value = dialog.getByLabel('Value; separate several with commas');
    const add = async (text: string): Promise<void> => {
      await value.fill(text);
      await dialog.getByRole('button', { name: 'Add' }).click();
    };
    await add('redacted');
    await filters.getByText('blocked, redacted').waitFor();
    await add('foo');
    await dialog.getByText('“foo” is not one of allowed').waitFor();
    await dialog.getByLabel('Filter by').selectOption('app');
    await add('many قائمة');
    await filters.getByText('many قائمة').waitFor();
    expect(await filters.innerText()).toContain('blocked, redacted');
  }, 120_000);
});

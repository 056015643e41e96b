import type { Route } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { boxOf } from '../support/dashboard-browser.js';
import { pageOfEachTest } from '../support/dashboard-pages.js';
import { describeInChromium } from '../support/describe-in-chromium.js';

describeInChromium('Filters, links and forms of the dashboard', (browser) => {
  const app = appWithProvider();
  const tab = pageOfEachTest(browser, app, { data: 'many', allowsRefusals: true });
  const { account, goTo, asked } = tab;

  const search = async (text: string): Promise<void> => {
    await tab.page.getByRole('main').getByRole('searchbox').fill(text);
    await tab.page.keyboard.press('Enter');
  };
  const chart = (label: RegExp) => tab.page.getByRole('group', { name: label });

  it('add typed values, and keep the list while they are not understood', async () => {
    await goTo('/events?outcome=blocked');
    await tab.page.getByRole('row').filter({ hasText: 'words.block-ssn' }).first().waitFor();
    await search('outcome:foo');
    await tab.page.getByText('“foo” is not one of allowed').waitFor();
    expect(await tab.page.getByRole('row').filter({ hasText: 'words.block-ssn' }).count()).toBeGreaterThan(0);
    expect(asked('outcome')).toBe('blocked');
    await search('outcome:redacted metadata.cost-center:42');
    await tab.page.waitForURL((url) => url.searchParams.get('metadata.cost-center') === '42');
    expect(asked('outcome')).toBe('blocked,redacted');
    await tab.page.getByText('No event matches.').waitFor();
  }, 120_000);

  it('have a chart of the chosen outcomes, of unmarked calls and of the hits of a rule, which can be zoomed', async () => {
    await goTo('/events?outcome=blocked,redacted&mark=none');
    await chart(/^Calls over time: 16 in total/).waitFor();
    await tab.page.getByText('The bars also count calls with a mark.').waitFor();
    await goTo('/events?rule=words.block-ssn');
    await chart(/^Hits of the rule over time: 8 in total/).waitFor();
    await goTo('/events?rule=words.block-ssn,words.no-such');
    await chart(/^Hits of the selected rules over time: 8 in total/).waitFor();
    await tab.page.getByText('a call in which several of these rules fired counts once for each').waitFor();
    await goTo('/events?outcome=blocked');
    const bars = chart(/^Calls over time: 8 in total/);
    const box = await boxOf(bars);
    await tab.page.mouse.move(box.x + box.width * 0.3, box.y + 20);
    await tab.page.mouse.down();
    await tab.page.mouse.move(box.x + box.width * 0.9, box.y + 20);
    await tab.page.mouse.up();
    await tab.page.waitForURL((url) => url.searchParams.has('from') && url.searchParams.has('to'));
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
      await tab.page.route('**/v1/apps', async (route) => {
        await held;
        await answer(route);
      });
      await tab.page.setViewportSize({ width: 390, height: 844 });
      await goTo(`/events?app=${account().app}`);
      await tab.page.getByRole('row').nth(1).waitFor();
      await tab.page.getByRole('button', { name: 'Change App: …' }).waitFor();
      goOn();
      await tab.page.getByRole('button', { name: /^Change App: [^…]+$/ }).waitFor();
      await tab.watched.settled();
      expect(await tab.watched.jumps(0.02)).toEqual([]);
      await tab.page.setViewportSize({ width: 1280, height: 900 });
    },
    120_000,
  );

  it('report parameters of a link that have no effect', async () => {
    await goTo('/events?rule=words.redact-mail&rule=words.block-ssn');
    const notice = tab.page.locator('.notice');
    await notice.getByText('This link contains rule several times. Only its last value is used.').waitFor();
    await notice.getByRole('button', { name: 'Remove the others' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(new URL(tab.page.url()).searchParams.getAll('rule')).toEqual(['words.block-ssn']);
    await goTo('/budgets?to=2026-11-02T00:00:00Z');
    await notice
      .getByText('This link has an end of the time range (to) but no start, so the range is ignored.')
      .waitFor();
    await notice.getByRole('button', { name: 'Remove' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(asked('to')).toBeNull();
    await goTo('/?range=constructor');
    await notice.getByText('This link has a time range that this version does not support: range.').waitFor();
    await tab.page.getByRole('button', { name: '24 h, time' }).waitFor();
  }, 120_000);

  it('keep the environment of a policy that was opened on the overview', async () => {
    await goTo('/');
    await tab.page.getByRole('main').getByRole('link', { name: 'staging', exact: true }).click();
    await tab.page.waitForURL('**/policies/staging?*env=staging*');
    await tab.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Events', exact: true }).click();
    await tab.page.waitForURL('**/events?*env=staging*');
    await goTo('/?range=7d');
    const deployment = tab.page.getByRole('link', { name: 'Deployment 2 of production' });
    expect(await deployment.getAttribute('href')).toBe('/policies/production/diff?range=7d&was=1&is=2');
  }, 120_000);

  it('show the amount after an adjustment before it is made, and the forecast of each scope', async () => {
    await goTo('/budgets/production/team-day');
    await tab.page.getByRole('columnheader', { name: 'Forecast' }).waitFor();
    const row = tab.page.getByRole('row', { name: /team 1/ });
    await row.getByRole('button', { name: 'Adjust' }).click();
    const dialog = tab.page.getByRole('dialog', { name: 'Adjust team-day' });
    await dialog.getByLabel('Amount in dollars').fill('+0.25');
    await dialog.getByText('Used afterwards: $0.25').waitFor();
    await dialog.getByLabel('Reason').fill('counted elsewhere');
    await dialog.getByRole('button', { name: 'Adjust' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByText('$0.25 of $1.00').waitFor();
    await tab.page.getByText('Ledger and log agree.').waitFor();
  }, 120_000);

  it('say how much ledger and log of a budget differ', async () => {
    await tab.page.route('**/v1/budget-audit', async (route) => {
      const { data } = (await (await route.fetch()).json()) as { readonly data: readonly object[] };
      const lines = data.map((line, index) => (index === 0 ? { ...line, events: '2.50', exact: false } : line));
      await route.fulfill({ json: { exact: false, unsettled_events: 0, data: lines } });
    });
    await goTo('/budgets/production/team-day');
    await tab.page.getByText(/: the ledger has \$\d\.\d\d less than the log\./).waitFor();
  }, 120_000);

  it('do not say that a request succeeded while the next one failed', async () => {
    const answers = [
      { status: 202, json: {} },
      { status: 422, json: { error: { type: 'invalid_request', message: 'The address cannot be used' } } },
    ];
    await tab.page.route('**/auth/email', (route) => route.fulfill(answers.shift() ?? {}));
    await goTo('/settings/profile');
    const send = async (): Promise<void> => {
      await tab.page.getByLabel('New e-mail address').fill('other@example.com');
      await tab.page.getByLabel('Password').fill('some password');
      await tab.page.getByRole('button', { name: 'Send a confirmation link' }).click();
    };
    await send();
    const sent = tab.page.getByText('A link was sent to the new address.');
    await sent.waitFor();
    await send();
    await tab.page.getByText('The address cannot be used').waitFor();
    expect(await sent.count()).toBe(0);
  }, 120_000);

  it('of an export accept several values, one after another, and are checked', async () => {
    await goTo('/exports?outcome=blocked');
    await tab.page.getByText('about 8 events; the list in Events has 8 calls').waitFor();
    await tab.page.getByRole('button', { name: 'New schedule' }).click();
    const dialog = tab.page.getByRole('dialog', { name: 'New schedule' });
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

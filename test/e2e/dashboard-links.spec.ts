import { appWithProvider } from '../support/app-with-provider.js';
import { pageOfEachTest } from '../support/dashboard-pages.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { identityClient } from '../support/identity-client.js';

describeInChromium('Links and addresses of the dashboard', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  const tab = pageOfEachTest(browser, app, { data: 'many' });
  const { account, goTo, asked } = tab;

  const address = (): URL => new URL(tab.page.url());
  /** Whether the page is still the one that `markPage` marked: another one would have been loaded from the service. */
  const isSamePage = (): Promise<unknown> => tab.page.evaluate('globalThis.isMarked === true');
  const markPage = (): Promise<unknown> => tab.page.evaluate('globalThis.isMarked = true');

  it('open what needs attention without loading the dashboard again, and in the time range of the entry', async () => {
    const entry = {
      ...{ id: 'marks_open:production:words.block-ssn', kind: 'marks_open', severity: 'info', since: null },
      ...{ environment: 'production', text_args: { rule: 'words.block-ssn', wrong: 0, missed: 1 }, count: 1 },
      link: '/events?env=production&range=90d&mark=missed&rule=words.block-ssn',
    };
    const data = Array.from({ length: 9 }, (_, n) => ({ ...entry, id: `${entry.id} ${n}` }));
    await tab.page.route('**/v1/attention?*', (route) =>
      route.fulfill({ json: { checked_at: new Date().toISOString(), data } }),
    );
    await goTo('/?from=2026-01-01T00:00:00.000Z&to=2026-01-02T00:00:00.000Z&env=staging');
    await tab.page.getByText('2 more, less urgent: weir attention lists all.').waitFor();
    await tab.watched.settled();
    expect(await tab.watched.faults()).toEqual([]);
    await markPage();
    await tab.page
      .getByRole('link', { name: /^See 1: words\.block-ssn was marked missed once/ })
      .first()
      .click();
    await tab.page.waitForURL('**/events?*');
    expect([asked('env'), asked('range'), asked('mark'), asked('rule'), asked('from'), asked('to')]).toEqual([
      ...['production', '90d', 'missed', 'words.block-ssn', null, null],
    ]);
    await tab.watched.settled();
    expect(await isSamePage()).toBe(true);
  }, 60_000);

  it('lead from a list of events to its export without loading the dashboard again', async () => {
    await goTo('/events?outcome=blocked&range=7d');
    await tab.watched.settled();
    await markPage();
    await tab.page.getByRole('link', { name: 'Export', exact: true }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Exports' }).waitFor();
    expect([asked('outcome'), asked('range'), await isSamePage()]).toEqual(['blocked', '7d', true]);
  }, 60_000);

  it('open the setup guide of an app until its first event, and then its settings', async () => {
    const { id } = (await client.post('/v1/apps', { name: 'not yet called' }, account().cookie)).json;
    await goTo(`/apps/${id}`);
    await tab.page.waitForURL(`**/apps/${id}/setup`);
    await tab.page.getByText('Waiting for the first event of not yet called').waitFor();
    await tab.page.getByRole('link', { name: 'its settings' }).click();
    await tab.page.waitForURL(`**/apps/${id}/settings`);
    await goTo(`/apps/${account().app}`);
    await tab.page.waitForURL(`**/apps/${account().app}/settings`);
    await goTo('/apps/new');
    await tab.page.waitForURL('**/apps/new/setup');
  }, 60_000);

  it('show the name of the app that is opened, not one that was typed for another app', async () => {
    const { id } = (await client.post('/v1/apps', { name: 'another app' }, account().cookie)).json;
    await goTo(`/apps/${id}/settings/danger`);
    const name = tab.page.getByRole('textbox', { name: 'Name' });
    await name.fill('typed for another app');
    await tab.page.evaluate(`history.pushState(null, '', '/apps/${account().app}/settings/danger')`);
    await tab.page.evaluate('dispatchEvent(new PopStateEvent("popstate", { state: null }))');
    await tab.page.getByRole('button', { name: /^Archive many/ }).waitFor();
    expect(await name.inputValue()).toMatch(/^many/);
  }, 60_000);

  it('open a row of events in a new tab with the key of the system or the middle button', async () => {
    await goTo('/events');
    const row = tab.page.getByRole('row').nth(1);
    await row.waitFor();
    const presses: Parameters<typeof row.click>[0][] = [{ modifiers: ['ControlOrMeta'] }, { button: 'middle' }];
    for (const press of presses) {
      const [other] = await Promise.all([tab.page.context().waitForEvent('page'), row.click(press)]);
      await other.waitForURL('**/events/*event_app=*');
      await other.getByRole('tab', { name: 'Conversation' }).waitFor();
      await other.close();
    }
    expect(address().pathname).toBe('/events');
  }, 60_000);

  it('do not show another file of a policy than the named one', async () => {
    await goTo('/policies/production/files/production/renamed.yaml#L47');
    await tab.page
      .getByText('The policy in force in production does not have the file production/renamed.yaml.')
      .waitFor();
    expect(await tab.page.getByRole('navigation', { name: 'Files' }).locator('[aria-current]').count()).toBe(0);
    await tab.page.getByRole('navigation', { name: 'Files' }).getByRole('link').first().click();
    await tab.page.getByRole('navigation', { name: 'Files' }).locator('[aria-current=page]').waitFor();
  }, 60_000);

  it('keep the chart of the overview and the selection of rules', async () => {
    await goTo('/');
    await tab.page.getByLabel('Value shown in the chart').selectOption('cost');
    await tab.page.waitForURL('**/?*chart=cost*');
    await tab.page.getByLabel('Group the chart by').selectOption('model');
    await tab.page.waitForURL('**/?*chart=cost.model*');
    await tab.watched.settled();
    await tab.page.reload();
    await tab.page.getByRole('heading', { name: /^Cost/ }).waitFor();
    expect(await tab.page.getByLabel('Group the chart by').inputValue()).toBe('model');
    await tab.watched.settled();
    await goTo('/policies/production');
    await tab.page.getByRole('searchbox', { name: 'Find a rule' }).fill('shell');
    await tab.page.waitForURL('**find=shell*');
    await tab.page.getByRole('link', { name: 'tool.block-shell' }).click();
    await tab.page.waitForURL('**/rules/tool.block-shell*');
    expect(asked('find')).toBeNull();
    await tab.page.goBack();
    await tab.page
      .getByRole('status')
      .getByText(/^1 of \d+ rules$/)
      .waitFor();
    expect(await tab.page.getByRole('searchbox', { name: 'Find a rule' }).inputValue()).toBe('shell');
  }, 60_000);

  it('lead from a session to the rules that fired in it', async () => {
    await goTo(`/sessions/${account().session}?app=${account().app}`);
    const sums = tab.page.locator('.session-sums');
    await sums.getByText(/· Weir added [\d.]+ m?s · 3 rules fired: /).waitFor();
    await tab.watched.settled();
    expect(await tab.watched.faults()).toEqual([]);
    await sums.getByRole('link', { name: 'words.flag-token' }).click();
    await tab.page.waitForURL('**/policies/production/rules/words.flag-token');
  }, 60_000);

  it('name some of many rules of a session, and lead to the calls of the others', async () => {
    const rules = ['a.one', 'b.two', 'c.three', 'd.four', 'e.five'];
    await tab.page.route('**/v1/sessions?*', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { readonly data: readonly object[] };
      return route.fulfill({ json: { data: data.map((row) => ({ ...row, rules })), next_cursor: null } });
    });
    await goTo(`/sessions/${account().session}?app=${account().app}`);
    await tab.page.locator('.session-sums').getByRole('link', { name: '2 more' }).click();
    await tab.page.waitForURL('**/events?*');
    expect([asked('session'), asked('rule'), asked('app')]).toEqual([
      account().session,
      'd.four,e.five',
      account().app,
    ]);
  }, 60_000);

  it('say that the totals of a session could not be loaded, and show its calls', async () => {
    await tab.watched.leave({ allowsRefusals: true });
    let isDown = true;
    await tab.page.route('**/v1/sessions?*', (route) => (isDown ? route.fulfill({ status: 500 }) : route.continue()));
    await goTo(`/sessions/${account().session}?app=${account().app}`);
    await tab.page.getByRole('alert').getByText('The totals could not be loaded.').waitFor();
    await tab.page.getByRole('treeitem').first().waitFor();
    isDown = false;
    await tab.page.getByRole('button', { name: 'Try again' }).click();
    await tab.page.getByText(/rules fired: /).waitFor();
  }, 60_000);
});

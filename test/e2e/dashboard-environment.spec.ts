import { appWithProvider } from '../support/app-with-provider.js';
import { pageOfEachTest } from '../support/dashboard-pages.js';
import { newKey, reporting } from '../support/dashboard-walk.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { identityClient } from '../support/identity-client.js';

describeInChromium('The environment of a dashboard page', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  const tab = pageOfEachTest(browser, app, { data: 'one', allowsRefusals: true });
  const { account, open } = tab;

  const inFrame = (environment: string): Promise<void> =>
    tab.page.locator(`.shell[data-environment=${environment}]`).waitFor();
  const choose = (name: string): Promise<void> =>
    tab.page.getByRole('group', { name: 'Environment' }).getByRole('button', { name }).click();

  it('is that of the row from which the page was opened, and another one can be chosen', async () => {
    await open('/policies');
    await tab.page.getByRole('link', { name: 'staging', exact: true }).click();
    await tab.page.waitForURL('**/policies/staging*');
    await inFrame('staging');
    await choose('Development');
    await tab.page.waitForURL('**/policies/development*');
    await inFrame('development');
    await tab.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Events', exact: true }).click();
    await tab.page.waitForURL('**/events?*env=development*');
  }, 120_000);

  it('is that of the address, also for keys and the palette', async () => {
    await open('/policies/staging/history');
    await inFrame('staging');
    await tab.page.keyboard.press('Control+k');
    await tab.page.getByRole('combobox', { name: 'Search or jump to' }).fill('roll back');
    await tab.page.getByRole('option', { name: /^Roll back staging…/ }).waitFor();
    await tab.page.keyboard.press('Escape');
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
    await tab.page.keyboard.press('Shift+E');
    await tab.page.waitForURL('**/policies/development/history*');
    await inFrame('development');
  }, 120_000);

  it('can be changed on the page of a budget, and for all of them at once there is the list', async () => {
    await open('/budgets/staging/team-day');
    await inFrame('staging');
    await choose('Production');
    await tab.page.waitForURL('**/budgets/production/team-day*');
    await inFrame('production');
    await choose('All');
    await tab.page.waitForURL('**/budgets?*env=all*');
    await inFrame('all');
  }, 120_000);

  it('separates the calls of two sessions with the same id', async () => {
    for (const environment of ['production', 'staging'] as const) {
      const report = reporting(client, await newKey(client, account(), `shared ${environment}`, environment));
      const { status } = await report({
        ...{ type: 'ai.request', request_id: `shared-${environment}`, metadata: { session_id: 'shared' } },
        payload: { messages: [{ role: 'user', content: `hello, ${environment}` }] },
      });
      expect(status).toBe(200);
    }
    await open('/sessions?env=all');
    const row = tab.page.getByRole('row').filter({ hasText: 'staging' });
    await row.getByRole('link', { name: 'shared' }).click();
    const sums = tab.page.locator('.session-sums > span');
    await sums.first().waitFor();
    await tab.watched.settled();
    expect(await sums.count()).toBe(1);
    expect(await sums.innerText()).toMatch(/ · staging · .* · 1 call, /);
    expect(await tab.page.getByRole('treeitem').count()).toBe(1);
  }, 120_000);
});

import type { BrowserContext, Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, signedIn, type DashboardAccount } from '../support/dashboard-accounts.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { identityClient } from '../support/identity-client.js';

describeInChromium('The environment of a dashboard page', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  let account: DashboardAccount;
  let context: BrowserContext;
  beforeAll(async () => {
    account = await dashboardAccount(app, 'one');
    context = await signedIn(browser(), app().url, account, { viewport: { width: 1280, height: 900 } });
  }, 120_000);

  async function open(path: string): Promise<{ watched: WatchedPage; page: Page }> {
    const watched = await WatchedPage.open(context, { allowsRefusals: true });
    await watched.page.goto(`${app().url}${path}`);
    await watched.settled();
    return { watched, page: watched.page };
  }

  const inFrame = (page: Page, environment: string): Promise<void> =>
    page.locator(`.shell[data-environment=${environment}]`).waitFor();
  const choose = (page: Page, name: string): Promise<void> =>
    page.getByRole('group', { name: 'Environment' }).getByRole('button', { name }).click();

  it('is that of the row from which the page was opened, and another one can be chosen', async () => {
    const { watched, page } = await open('/policies');
    await page.getByRole('link', { name: 'staging', exact: true }).click();
    await page.waitForURL('**/policies/staging*');
    await inFrame(page, 'staging');
    await choose(page, 'Development');
    await page.waitForURL('**/policies/development*');
    await inFrame(page, 'development');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Events', exact: true }).click();
    await page.waitForURL('**/events?*env=development*');
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await page.close();
  }, 120_000);

  it('is that of the address, also for keys and the palette', async () => {
    const { page } = await open('/policies/staging/history');
    await inFrame(page, 'staging');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('roll back');
    await page.getByRole('option', { name: /^Roll back staging…/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Shift+E');
    await page.waitForURL('**/policies/development/history*');
    await inFrame(page, 'development');
    await page.close();
  }, 120_000);

  it('can be changed on the page of a budget, and for all of them at once there is the list', async () => {
    const { page } = await open('/budgets/staging/team-day');
    await inFrame(page, 'staging');
    await choose(page, 'Production');
    await page.waitForURL('**/budgets/production/team-day*');
    await inFrame(page, 'production');
    await choose(page, 'All');
    await page.waitForURL('**/budgets?*env=all*');
    await inFrame(page, 'all');
    await page.close();
  }, 120_000);

  it('separates the calls of two sessions with the same id', async () => {
    for (const environment of ['production', 'staging']) {
      const body = { name: `shared ${environment}`, environment };
      const made = await client.post(`/v1/apps/${account.app}/keys`, body, account.cookie);
      const { secret } = made.json as { readonly secret: string };
      const call = { type: 'ai.request', request_id: `shared-${environment}`, metadata: { session_id: 'shared' } };
      const { status } = await client.send(
        'POST',
        '/v1/events',
        { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        JSON.stringify({ ...call, payload: { messages: [{ role: 'user', content: `hello, ${environment}` }] } }),
      );
      expect(status).toBe(200);
    }
    const { watched, page } = await open('/sessions?env=all');
    const row = page.getByRole('row').filter({ hasText: 'staging' });
    await row.getByRole('link', { name: 'shared' }).click();
    const sums = page.locator('.session-sums > span');
    await sums.first().waitFor();
    await watched.settled();
    expect(await sums.count()).toBe(1);
    expect(await sums.innerText()).toMatch(/ · staging · .* · 1 call, /);
    expect(await page.getByRole('treeitem').count()).toBe(1);
    expect(await watched.faults()).toEqual([]);
    await page.close();
  }, 120_000);
});

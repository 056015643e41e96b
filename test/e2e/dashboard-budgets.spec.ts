import type { BrowserContext, Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, signedIn, type DashboardAccount } from '../support/dashboard-accounts.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { policyFile, testBundle } from '../support/deployments.js';
import { identityClient } from '../support/identity-client.js';

const BUDGET = `
budgets:
  - id: user-hour
    scope: [metadata.user, app]
    window: { per: hour, timezone: UTC }
    limit: { tokens: 50 }
    on_exceed: block
`;
const REFUSED = 3;

describeInChromium('The dashboard pages for budget refusals, rules and the playground', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  let account: DashboardAccount;
  let context: BrowserContext;
  beforeAll(async () => {
    account = await dashboardAccount(app, 'one');
    const file = policyFile('With a budget');
    for (const named of ['Without a budget', 'With a budget']) {
      const files = [{ ...file, text: file.text + (named === 'With a budget' ? BUDGET : '') }];
      const { base } = (await client.get('/v1/policies/production', account.cookie)).json as { readonly base: object };
      const body = { bundle: testBundle(named, { files }), base, because: named };
      expect((await client.post('/v1/policies/production/deployments', body, account.cookie)).status).toBe(201);
    }
    const key = (
      await client.post(`/v1/apps/${account.app}/keys`, { name: 'spender', environment: 'production' }, account.cookie)
    ).json as { readonly secret: string };
    for (let n = 0; n < REFUSED; n++) {
      const event = { type: 'ai.request', request_id: `spent-${n}`, model: 'gpt-4o', provider: 'openai' };
      const payload = { max_tokens: 200, messages: [{ role: 'user', content: `mail-1 number ${n}` }] };
      const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' };
      const sent = JSON.stringify({ ...event, metadata: { user: 'u-7' }, payload });
      expect((await client.send('POST', '/v1/events', headers, sent)).status).toBe(400);
    }
    context = await signedIn(browser(), app().url, account, { viewport: { width: 1280, height: 900 } });
  }, 120_000);

  async function open(path: string): Promise<{ watched: WatchedPage; page: Page }> {
    const watched = await WatchedPage.open(context);
    await watched.page.goto(`${app().url}${path}`);
    await watched.settled();
    return { watched, page: watched.page };
  }

  it('link from a budget to the calls that it refused, and show for each call the missing amount', async () => {
    const { watched, page } = await open('/budgets');
    const row = page.getByRole('row', { name: /^user-hour/ });
    expect(await row.innerText()).toContain('one قائمة');
    await row.getByRole('link', { name: `${REFUSED} calls refused` }).click();
    await page.waitForURL('**/events?*type=budget.exceeded*');
    await page.getByText(`${REFUSED} events`).waitFor();
    expect(await watched.faults()).toEqual([]);

    await page.goto(`${app().url}/events?outcome=blocked`);
    await page
      .getByRole('row')
      .filter({ hasText: /budget, words\.redact-mail/ })
      .first()
      .click();
    const main = page.getByRole('main');
    await main.getByRole('link', { name: 'user-hour', exact: true }).waitFor();
    const words = (await main.innerText()).replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'A budget is used up, or its remaining amount is smaller than the possible cost of the call.',
    );
    expect(words).toMatch(
      /user-hour app one قائمة user u-7 · 0 tokens of 50 tokens used; the call could need \d+ tokens/,
    );
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await page.close();
  }, 120_000);

  it('warn that an adjustment whose answer was lost may have been made, and show the amounts after it', async () => {
    const watched = await WatchedPage.open(context, { allowsRefusals: true });
    const { page } = watched;
    const path = '/v1/budgets/user-hour/adjustments';
    await page.route(`**${path}`, async (route) => {
      expect((await client.post(path, route.request().postDataJSON() as object, account.cookie)).status).toBe(200);
      await route.abort();
    });
    await page.goto(`${app().url}/budgets/production/user-hour`);
    await page.getByRole('button', { name: 'Adjust', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Used now: 0 tokens of 50 tokens.').waitFor();
    await dialog.getByLabel('Amount in tokens').fill('1');
    await dialog.getByLabel('Reason').fill('Counted elsewhere');
    await dialog.getByRole('button', { name: 'Adjust', exact: true }).click();
    await dialog.getByText('The adjustment may have been made; compare the amounts before you repeat it.').waitFor();
    await dialog.getByText('Used before it: 0 tokens.').waitFor();
    await dialog.getByText('Used now: 1 token of 50 tokens.').waitFor();
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('“Counted elsewhere”').waitFor();
    await page.close();
  }, 120_000);

  it('show since which deployment a rule has been in force', async () => {
    const { watched, page } = await open('/policies/production/rules/words.block-ssn');
    await page.getByText('In force since deployment 1 or earlier').waitFor();
    expect(await watched.faults()).toEqual([]);
    await page.close();
  }, 120_000);

  it('judge a text by a bundle that is pasted into the playground', async () => {
    const { watched, page } = await open('/policies/playground');
    await paste(page, JSON.stringify(testBundle('Pasted', { files: [policyFile('Pasted')] })));
    expect(await page.getByRole('combobox', { name: /^Policy/ }).inputValue()).toBe('chosen file');
    await page.getByLabel('Text', { exact: true }).fill('my number is ssn-7');
    await page.getByText('Blocked', { exact: true }).first().waitFor();
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await page.close();
  }, 120_000);

  it('show no decision of the playground about a text that was removed', async () => {
    const { page } = await open('/policies/playground');
    const text = page.getByRole('textbox', { name: /^Text/ });
    await text.fill('my number is ssn-7');
    await page.getByText('Blocked', { exact: true }).first().waitFor();
    await text.fill('');
    await page.getByText('The decision appears here.').waitFor();
    expect(await page.getByText('Blocked', { exact: true }).count()).toBe(0);
    await page.close();
  }, 120_000);
});

/** Dispatches the event of a paste into the text field. */
async function paste(page: Page, text: string): Promise<void> {
  await page.getByLabel('Text', { exact: true }).evaluate((element, pasted) => {
    const inside = globalThis as unknown as {
      DataTransfer: new () => { setData(type: string, data: string): void };
      ClipboardEvent: new (type: string, about: object) => object;
    };
    const clipboardData = new inside.DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const event = new inside.ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    (element as unknown as { dispatchEvent(event: object): void }).dispatchEvent(event);
  }, text);
}

import type { Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { pageOfEachTest } from '../support/dashboard-pages.js';
import { deploy, newKey, reporting } from '../support/dashboard-walk.js';
import { policyFile, testBundle } from '../support/deployments.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
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
  const tab = pageOfEachTest(browser, app, { data: 'one' });
  const { account, goTo, open } = tab;
  beforeAll(async () => {
    // Both deployments have the same rules.
    for (const more of ['', BUDGET]) await deploy(client, account().cookie, 'With a budget', more);
    const report = reporting(client, await newKey(client, account(), 'spender'));
    for (let n = 0; n < REFUSED; n++) {
      const { status } = await report({
        ...{ type: 'ai.request', request_id: `spent-${n}`, model: 'gpt-4o', provider: 'openai' },
        metadata: { user: 'u-7' },
        payload: { max_tokens: 200, messages: [{ role: 'user', content: `mail-1 number ${n}` }] },
      });
      expect(status).toBe(400);
    }
  }, 120_000);

  it('link from a budget to the calls that it refused, and show for each call the missing amount', async () => {
    await open('/budgets');
    const row = tab.page.getByRole('row', { name: /^user-hour/ });
    expect(await row.innerText()).toContain('one قائمة');
    await row.getByRole('link', { name: `${REFUSED} calls refused` }).click();
    await tab.page.waitForURL('**/events?*type=budget.exceeded*');
    await tab.page.getByText(`${REFUSED} events`).waitFor();
    expect(await tab.watched.faults()).toEqual([]);

    await goTo('/events?outcome=blocked');
    await tab.page
      .getByRole('row')
      .filter({ hasText: /budget, words\.redact-mail/ })
      .first()
      .click();
    const main = tab.page.getByRole('main');
    await main.getByRole('link', { name: 'user-hour', exact: true }).waitFor();
    const words = (await main.innerText()).replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'A budget is used up, or its remaining amount is smaller than the possible cost of the call.',
    );
    expect(words).toMatch(
      /user-hour app one قائمة user u-7 · 0 tokens of 50 tokens used; the call could need \d+ tokens/,
    );
  }, 120_000);

  it('warn that an adjustment whose answer was lost may have been made, and show the amounts after it', async () => {
    await tab.watched.leave({ allowsRefusals: true });
    const path = '/v1/budgets/user-hour/adjustments';
    await tab.page.route(`**${path}`, async (route) => {
      expect((await client.post(path, route.request().postDataJSON() as object, account().cookie)).status).toBe(200);
      await route.abort();
    });
    await goTo('/budgets/production/user-hour');
    await tab.page.getByRole('button', { name: 'Adjust', exact: true }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText('Used now: 0 tokens of 50 tokens.').waitFor();
    await dialog.getByLabel('Amount in tokens').fill('1');
    await dialog.getByLabel('Reason').fill('Counted elsewhere');
    await dialog.getByRole('button', { name: 'Adjust', exact: true }).click();
    await dialog.getByText('The adjustment may have been made; compare the amounts before you repeat it.').waitFor();
    await dialog.getByText('Used before it: 0 tokens.').waitFor();
    await dialog.getByText('Used now: 1 token of 50 tokens.').waitFor();
    await tab.watched.settled();
    expect(await tab.watched.faults()).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await tab.page.getByText('“Counted elsewhere”').waitFor();
  }, 120_000);

  it('show since which deployment a rule has been in force', async () => {
    await open('/policies/production/rules/words.block-ssn');
    await tab.page.getByText('In force since deployment 1 or earlier').waitFor();
  }, 120_000);

  it('judge a text by a bundle that is pasted into the playground', async () => {
    await open('/policies/playground');
    await paste(tab.page, JSON.stringify(testBundle('Pasted', { files: [policyFile('Pasted')] })));
    expect(await tab.page.getByRole('combobox', { name: /^Policy/ }).inputValue()).toBe('chosen file');
    await tab.page.getByLabel('Text', { exact: true }).fill('my number is ssn-7');
    await tab.page.getByText('Blocked', { exact: true }).first().waitFor();
  }, 120_000);

  it('show no decision of the playground about a text that was removed', async () => {
    await open('/policies/playground');
    const text = tab.page.getByRole('textbox', { name: /^Text/ });
    await text.fill('my number is ssn-7');
    await tab.page.getByText('Blocked', { exact: true }).first().waitFor();
    await text.fill('');
    await tab.page.getByText('The decision appears here.').waitFor();
    expect(await tab.page.getByText('Blocked', { exact: true }).count()).toBe(0);
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
    element.dispatchEvent(event);
  }, text);
}

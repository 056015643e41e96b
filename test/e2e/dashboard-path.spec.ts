import type { Browser, BrowserContext, Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, signedIn, type DashboardAccount } from '../support/dashboard-accounts.js';
import { CHROMIUM, launchChromium, WatchedPage } from '../support/dashboard-browser.js';

const title = 'From a wrong block to a rollback in the dashboard';
if (CHROMIUM === undefined) console.warn(`SKIPPED, no Chromium found (WEIR_TEST_CHROMIUM names one): ${title}`);

const RULE = 'words.block-ssn';

(CHROMIUM === undefined ? describe.skip : describe)(title, () => {
  const app = appWithProvider({ WEIR_RATE_AUTH: 'off', WEIR_RATE_EVENTS: 'off' });
  let browser: Browser;
  let account: DashboardAccount;
  beforeAll(async () => {
    browser = await launchChromium();
    account = await dashboardAccount(app, 'many');
  }, 120_000);
  afterAll(async () => {
    await browser.close();
  });

  async function walk(width: number, way: (page: Page) => Promise<void>): Promise<void> {
    const context: BrowserContext = await signedIn(browser, app().url, account, { viewport: { width, height: 844 } });
    const watched = await WatchedPage.open(context);
    await way(watched.page);
    expect(await watched.faults()).toEqual([]);
    await context.close();
  }

  async function rollBackTo(page: Page, number: number, reason: string): Promise<void> {
    await page.getByLabel(/Reason, at least/).fill(reason);
    await page.getByLabel('Type production').fill('production');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Roll back to ${number}` })
      .click();
    await page.getByRole('status').getByText('is in force').waitFor();
  }

  it.each([
    [1280, 1],
    [390, 3],
  ])(
    'marks, makes a test, exports, compares, rolls back and reads it in the audit log, at %i px',
    (width, row) =>
      walk(width, async (page) => {
        const base = app().url;
        const reason = `Wrong since noon, seen at ${width}`;
        await page.goto(`${base}/events`);
        await page.getByRole('button', { name: 'Blocked', exact: true }).click();
        await page.getByRole('row').nth(row).click();
        await page.getByRole('button', { name: 'Wrong' }).click();
        await page.getByRole('status').getByText('Marked wrong by').waitFor();
        await page.getByLabel('Reason (optional)').fill('A number of the example, mail mail-1');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByRole('button', { name: 'Make a test' }).click();
        await page.getByRole('dialog').getByText('kind: PolicyTest').waitFor();
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('dialog').getByRole('link', { name: 'Download' }).click(),
        ]);
        expect(file.suggestedFilename()).toMatch(/\.test\.yaml$/);
        await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

        await page.goto(`${base}/exports?rule=${RULE}&mark=wrong`);
        const [records] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: 'Download now' }).click(),
        ]);
        expect(records.suggestedFilename()).toMatch(/events\.jsonl$/);

        await page.goto(`${base}/policies/production`);
        const judged = page.getByRole('row').filter({ hasText: RULE });
        await judged.getByText(/^[12] of [12]$/).waitFor();
        await page.getByRole('link', { name: 'History' }).click();
        await page.getByRole('link', { name: 'Diff' }).first().click();
        await page.getByText(/rules? changed/).waitFor();
        await page.getByRole('link', { name: 'History' }).click();
        await page.getByRole('button', { name: 'Roll back to 1', exact: true }).click();
        await rollBackTo(page, 1, reason);
        await page.goto(`${base}/audit`);
        await page.getByText(reason, { exact: false }).first().waitFor();
      }),
    120_000,
  );

  it(
    'goes the same way by keyboard alone',
    () =>
      walk(1280, async (page) => {
        const { keyboard } = page;
        const reason = 'Found wrong without a mouse';
        /** Tabs on to what has this name, as somebody would who cannot see where it is. */
        const tabTo = async (name: RegExp): Promise<void> => {
          for (let steps = 0; steps < 120; steps++) {
            await keyboard.press('Tab');
            const told = await page.evaluate(() => {
              const { document } = globalThis as unknown as {
                document: {
                  activeElement: { innerText?: string; getAttribute(name: string): string | null } & {
                    labels?: ArrayLike<{ innerText: string }>;
                  };
                };
              };
              const { activeElement: at } = document;
              return `${at.getAttribute('aria-label') ?? ''} ${at.labels?.[0]?.innerText ?? ''} ${at.innerText ?? ''}`.trim();
            });
            if (name.test(told)) return;
          }
          throw new Error(`no Tab leads to ${String(name)}`);
        };
        await page.goto(app().url);
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        await keyboard.press('g');
        await keyboard.press('e');
        await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
        await page.getByRole('row').nth(1).waitFor();
        await tabTo(/^Blocked$/);
        await keyboard.press('Enter');
        await page.waitForURL('**/events?*blocked*');
        await page.getByRole('row').nth(2).waitFor();
        await page.getByRole('row').filter({ hasNotText: 'Blocked' }).nth(1).waitFor({ state: 'detached' });
        for (let rows = 0; rows < 6; rows++) await keyboard.press('j');
        await keyboard.press('Enter');
        await page.getByRole('button', { name: 'Wrong' }).waitFor();
        await keyboard.press('n');
        await page.getByRole('status').getByText('Marked wrong by').waitFor();
        await keyboard.press('m');
        await page.getByRole('dialog').getByText('kind: PolicyTest').waitFor();
        await keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await keyboard.press('g');
        await keyboard.press('p');
        await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
        await page.getByRole('cell', { name: 'production' }).first().waitFor();
        await tabTo(/^History$/);
        await keyboard.press('Enter');
        await page.getByRole('button', { name: 'Roll back to 2', exact: true }).waitFor();
        await tabTo(/^Roll back to 2$/);
        await keyboard.press('Enter');
        await page.getByLabel(/Reason, at least/).waitFor();
        await page
          .getByRole('dialog')
          .getByText(/changed/)
          .first()
          .waitFor();
        await tabTo(/^Reason, at least/);
        await keyboard.type(reason);
        await tabTo(/^Type production/);
        await keyboard.type('production');
        await keyboard.press('Enter');
        await page.getByRole('status').getByText('is in force').waitFor();
        await page.goto(`${app().url}/audit`);
        await page.getByText(reason, { exact: false }).first().waitFor();
      }),
    120_000,
  );
});

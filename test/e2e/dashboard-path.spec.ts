import type { Locator, Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { asking, deployTwice } from '../support/dashboard-walk.js';
import { identityClient, PASSWORD } from '../support/identity-client.js';

describeInChromium('The dashboard with a mouse or by touch', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);

  async function signUp(page: Page, email: string): Promise<void> {
    await page.goto(`${app().url}/auth/sign-up`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    const { link } = await client.lastMail(email);
    await page.goto(link);
    await page.getByRole('button', { name: 'Confirm my e-mail' }).click();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }

  /** @returns the key of a new app, created on the page of its setup guide */
  async function makeKey(page: Page): Promise<string> {
    await page.getByRole('link', { name: 'Create your first app' }).click();
    await page.getByLabel('Name of the app').fill('checkout');
    await page.getByRole('main').getByRole('button', { name: 'production' }).click();
    await page.getByRole('button', { name: 'Create app and key' }).click();
    const secret = await page.getByLabel('The key', { exact: true }).inputValue();
    await page.getByLabel('I have stored it').check();
    await page.getByText('Waiting for the first event').waitFor();
    return secret;
  }

  async function download(page: Page, link: Locator): Promise<string> {
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
    return file.suggestedFilename();
  }

  async function rollBackTo(page: Page, number: number, reason: string): Promise<void> {
    await page.getByRole('button', { name: `Roll back to ${number}`, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/Reason, at least/).fill(reason);
    await dialog.getByLabel('Type production').fill('production');
    await dialog.getByRole('button', { name: `Roll back to ${number}` }).click();
    await page.getByRole('status').getByText('is in force').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).first().click();
  }

  it.each([1280, 390])(
    'can be used from sign-up to a rollback in the audit log, at %i px',
    async (width) => {
      const context = await browser().newContext({ viewport: { width, height: 844 } });
      const watched = await WatchedPage.open(context);
      const { page } = watched;
      const goTo = async (name: string): Promise<void> => {
        const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
        const shown = links.filter({ visible: true });
        if ((await shown.count()) === 0) await page.getByRole('link', { name: 'More' }).click();
        await page.getByRole('link', { name, exact: true }).filter({ visible: true }).first().click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
      };
      await signUp(page, `mouse-${width}@example.com`);
      const ask = asking(app().url, await makeKey(page));
      await ask('hello');
      await page.getByText('Open event').waitFor();
      await expect(ask('my number is ssn-7')).rejects.toMatchObject({ status: 400 });

      await goTo('Overview');
      const blocked = page.getByRole('main').getByRole('link', { name: /^Blocked\s*1/ });
      await blocked.waitFor();
      // From the overview, a blocked call is marked in three clicks.
      await blocked.click();
      await page.getByRole('row').filter({ hasText: 'words.block-ssn' }).first().click();
      await page.getByRole('button', { name: 'Wrong' }).click();
      await page.getByRole('status').getByText('Marked wrong by').waitFor();
      await page.getByLabel('Reason (optional)').fill('A number of the example, mail mail-1');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('1 of 1 hit of this rule in 30 days is marked wrong').waitFor();
      await page.getByRole('button', { name: 'Make a test' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('kind: PolicyTest').waitFor();
      expect(await download(page, dialog.getByRole('link', { name: 'Download' }))).toMatch(/\.test\.yaml$/);
      await dialog.getByRole('button', { name: 'Close' }).click();

      await page.getByRole('link', { name: 'See them' }).click();
      await page.getByRole('row').filter({ hasText: 'words.block-ssn' }).first().waitFor();
      await page.getByRole('link', { name: 'Export', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Exports' }).waitFor();
      expect(await page.getByRole('main').innerText()).toMatch(/rule words\.block-ssn, mark wrong/);
      expect(await download(page, page.getByRole('link', { name: 'Download now' }))).toMatch(/events\.jsonl$/);

      await deployTwice(client, page);
      await goTo('Policies');
      await page.getByRole('link', { name: 'History' }).first().click();
      await page.getByRole('link', { name: 'Diff' }).first().click();
      await page.getByText(/rules? changed|No rule differs/).waitFor();
      await page.getByRole('link', { name: 'History' }).first().click();
      const reason = `Wrong since noon, seen at ${width}`;
      await rollBackTo(page, 1, reason);
      await goTo('Audit log');
      await page.getByText(reason, { exact: false }).first().waitFor();
      await watched.settled();
      expect(await watched.faults()).toEqual([]);
      await context.close();
    },
    240_000,
  );
});

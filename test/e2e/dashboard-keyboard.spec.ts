import type { Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { Keyboard } from '../support/dashboard-keyboard.js';
import { asking, deployTwice } from '../support/dashboard-walk.js';
import { identityClient, PASSWORD } from '../support/identity-client.js';

describeInChromium('The dashboard without a mouse', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);

  async function signUp(page: Page, keys: Keyboard, email: string): Promise<void> {
    await page.goto(`${app().url}/auth/sign-up`);
    await keys.type(/^E-mail address/, email);
    await keys.type(/^Password/, PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    const { link } = await client.lastMail(email);
    await page.goto(link);
    await keys.press(/^Confirm my e-mail$/);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await keys.type(/^E-mail address/, email);
    await keys.type(/^Password/, PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }

  /** @returns the key of a new app, created on the page of its setup guide */
  async function makeKey(page: Page, keys: Keyboard): Promise<string> {
    await keys.press(/^Create your first app$/);
    await keys.type(/^Name of the app/, 'checkout');
    await keys.press(/^production$/);
    await keys.press(/^Create app and key$/);
    const secret = await page.getByLabel('The key', { exact: true }).inputValue();
    await keys.tabTo(/^I have stored it$/);
    await page.keyboard.press('Space');
    await page.getByText('Waiting for the first event').waitFor();
    return secret;
  }

  it.each([1280, 390])(
    'can be used from sign-up to a rollback by keyboard alone, at %i px',
    async (width) => {
      const context = await browser().newContext({ viewport: { width, height: 844 } });
      const watched = await WatchedPage.open(context);
      const { page } = watched;
      const keys = new Keyboard(page);
      await signUp(page, keys, `keyboard-${width}@example.com`);
      const ask = asking(app().url, await makeKey(page, keys));
      await ask('hello');
      await page.getByText('Open event').waitFor();
      await expect(ask('my number is ssn-7')).rejects.toMatchObject({ status: 400 });
      await keys.press(/^Open event$/);
      await page.getByRole('tab', { name: 'Conversation' }).waitFor();

      await keys.goTo('e', 'Events');
      await page.getByRole('row').nth(1).waitFor();
      await keys.press(/^Blocked$/);
      await page.waitForURL('**/events?*blocked*');
      await watched.settled();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Wrong' }).waitFor();
      await page.keyboard.press('n');
      await page.getByRole('status').getByText('Marked wrong by').waitFor();
      await page.keyboard.press('m');
      await page.getByRole('dialog').getByText('kind: PolicyTest').waitFor();
      await keys.tabTo(/^Download$/);
      const [test] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
      expect(test.suggestedFilename()).toMatch(/\.test\.yaml$/);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      await keys.goTo('e', 'Events');
      await keys.press(/^Export$/);
      await page.getByRole('heading', { level: 1, name: 'Exports' }).waitFor();
      await keys.tabTo(/^Download now$/);
      const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
      expect(file.suggestedFilename()).toMatch(/events\.jsonl$/);

      await deployTwice(client, page);
      await keys.goTo('p', 'Policies');
      await watched.settled();
      await keys.press(/^History$/);
      await page.getByRole('link', { name: 'Diff', exact: true }).waitFor();
      await keys.press(/^Diff$/);
      await page.getByText(/rules? changed|No rule differs/).waitFor();
      await watched.settled();
      await keys.press(/^History$/);
      await page.getByRole('button', { name: 'Roll back to 1', exact: true }).waitFor();
      await keys.press(/^Roll back to 1$/);
      await page.getByLabel(/Reason, at least/).waitFor();
      const reason = `Found wrong without a mouse at ${width}`;
      await keys.type(/^Reason, at least/, reason);
      await keys.type(/^Type production/, 'production');
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText('is in force').waitFor();
      await keys.press(/^Close$/);
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      if (width < 720) await keys.press(/^More$/);
      await keys.press(/^Audit log$/);
      await page.getByText(reason, { exact: false }).first().waitFor();
      await watched.settled();
      expect(await watched.faults()).toEqual([]);
      await context.close();
    },
    240_000,
  );
});

import type { Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount } from '../support/dashboard-accounts.js';
import { boxOf } from '../support/dashboard-browser.js';
import { signedInPages } from '../support/dashboard-pages.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { PASSWORD } from '../support/identity-client.js';

describeInChromium('The dashboard keeps what a person would lose', (browser) => {
  const app = appWithProvider();
  const { account, otherContext, open } = signedInPages(browser, app, { data: 'many', allowsRefusals: true });

  async function chooseZone(page: Page, zone: string): Promise<void> {
    await page.getByRole('button', { name: /, time$/ }).click();
    await page.getByLabel('Time zone of displayed times').selectOption(zone);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  it('a mark and its note: the same key changes nothing, and Undo restores both', async () => {
    const { watched, page, keys } = await open('/events?outcome=blocked');
    await page.locator('.grid-row:not(.head)').first().click();
    const status = page.getByRole('status');
    await page.getByRole('button', { name: 'Right' }).waitFor();
    await page.keyboard.press('y');
    await status.getByText('Marked right by').waitFor();
    await keys.type(/^Reason/, 'agreed with the team');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor();
    await page.getByRole('button', { name: 'Right' }).focus();
    await page.keyboard.press('y');
    expect(await page.getByRole('button', { name: 'Right' }).getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('n');
    await status.getByText('Marked wrong by').waitFor();
    expect(await page.getByLabel('Reason (optional)').inputValue()).toBe('agreed with the team');
    await page.getByRole('button', { name: 'Undo' }).click();
    await status.getByText('Marked right by').waitFor();
    expect(await page.getByLabel('Reason (optional)').inputValue()).toBe('agreed with the team');
    await page.getByRole('button', { name: 'Remove the mark' }).click();
    await status.getByText('The mark was removed.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await status.getByText('Marked right by').waitFor();
    expect(await watched.faults()).toEqual([]);
  }, 120_000);

  it('a typed note that could not be stored', async () => {
    const { page, keys } = await open('/events?outcome=blocked');
    await page.locator('.grid-row:not(.head)').nth(4).click();
    await page.getByRole('button', { name: 'Wrong' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('status').getByText('Marked wrong by').waitFor();
    await page.route('**/v1/events/*/marks/*', (route) =>
      route.fulfill({ status: 503, json: { error: { type: 'unavailable', message: 'Later.' } } }),
    );
    const note = page.getByLabel('Reason (optional)');
    await keys.type(/^Reason/, 'agreed with Ada');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The mark was not stored.').waitFor();
    expect(await note.inputValue()).toBe('agreed with Ada');
    await page.unroute('**/v1/events/*/marks/*');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor();
    expect(await note.inputValue()).toBe('agreed with Ada');
  }, 120_000);

  it('a mark that is stored after its call was left', async () => {
    const { watched, page } = await open('/events?outcome=blocked');
    await page.locator('.grid-row:not(.head)').nth(2).click();
    const right = page.getByRole('button', { name: 'Right' });
    await right.waitFor();
    let store: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (store = resolve));
    await page.route('**/v1/events/*/marks/*', async (route) => {
      await held;
      await route.continue();
    });
    const marked = new URL(page.url()).pathname;
    await page.keyboard.press('y');
    await page.keyboard.press('j');
    await page.waitForURL(({ pathname }) => pathname !== marked);
    await right.waitFor();
    const stored = page.waitForResponse((response) => response.url().includes('/marks/'));
    store();
    await (await stored).finished();
    await page.keyboard.press('k');
    await page.waitForURL(({ pathname }) => pathname === marked);
    await page.getByRole('status').getByText('Marked right by').waitFor();
    expect(await right.getAttribute('aria-pressed')).toBe('true');
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
  }, 60_000);

  it('the place of the keyboard: a closed dialog returns the focus to the button that opened it', async () => {
    const { page, keys } = await open('/events');
    for (const name of [/, time/, /^Columns$/]) {
      await keys.press(name);
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const focused = page.locator(':focus');
      expect(`${await focused.getAttribute('aria-label')} ${await focused.innerText()}`.replace('null ', '')).toMatch(
        name,
      );
    }
  }, 120_000);

  it('a form behind the password dialog, which Escape does not close', async () => {
    const { page } = await open(`/apps/${account().app}/settings/keys`);
    await page.route('**/v1/apps/*/keys', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      return route.fulfill({ status: 403, json: { error: { type: 'reauthentication_required', message: 'again' } } });
    });
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('kept name');
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByRole('dialog', { name: 'Enter your password again' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Cancel' }).last().click();
    await page.getByRole('dialog', { name: 'Enter your password again' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('kept name');
  }, 60_000);

  it('the range before a zoom, to which Escape returns', async () => {
    const { page } = await open('/?range=7d');
    const chart = await boxOf(page.locator('.chart-box svg').first());
    const y = chart.y + chart.height / 2;
    await page.mouse.move(chart.x + chart.width * 0.6, y);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * 0.9, y, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL('**/?*from=*');
    await page.getByRole('button', { name: 'Back to 7 d' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/?range=7d');
  }, 60_000);

  it('a key that is shown once and a typed text, while another time zone is chosen', async () => {
    const own = await otherContext();
    const { watched, page } = await open(`/apps/${account().app}/setup`, own);
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    const shown = page.getByLabel('The key', { exact: true });
    const secret = await shown.inputValue();
    expect(secret).not.toBe('');
    await chooseZone(page, 'Asia/Kabul');
    expect(await shown.inputValue()).toBe(secret);
    expect(await watched.faults()).toEqual([]);
    await page.close();
    const { page: playground } = await open('/policies/playground', own);
    const text = playground.getByRole('textbox', { name: 'Text', exact: true });
    await text.fill('typed before');
    await chooseZone(playground, 'Pacific/Marquesas');
    expect(await text.inputValue()).toBe('typed before');
  }, 120_000);

  it('the rows and the chart in another time zone: the same calls, at other times of day', async () => {
    const own = await otherContext();
    const { page } = await open('/events?range=1h', own);
    const times = page.locator('.grid-row:not(.head) time');
    const before = await times.allInnerTexts();
    const calls = await times.evaluateAll((all) => all.map((each) => each.getAttribute('datetime')));
    expect(before.length).toBeGreaterThan(1);
    await chooseZone(page, 'Asia/Kabul');
    const after = await times.allInnerTexts();
    expect(after.filter((time, index) => time === before[index])).toEqual([]);
    expect(await times.evaluateAll((all) => all.map((each) => each.getAttribute('datetime')))).toEqual(calls);
    const { page: overview } = await open('/?range=1h', own);
    const axis = overview.locator('.axis span');
    const there = await axis.allInnerTexts();
    expect(there.length).toBeGreaterThan(1);
    await chooseZone(overview, 'Pacific/Marquesas');
    const elsewhere = await axis.allInnerTexts();
    expect(elsewhere.filter((time, index) => time === there[index])).toEqual([]);
  }, 120_000);

  it('an open page during an update of the service, which it reports', async () => {
    const { page } = await open('/audit');
    await page.route('**/v1/exports', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'x-weir-version': '999.0.0' } });
    });
    await page.getByRole('link', { name: 'Exports' }).click();
    await page.getByText('Weir was updated.').waitFor();
    await page.getByRole('button', { name: 'Reload' }).waitFor();
  }, 60_000);

  it('the way back from a payment: it waits for the confirmation', async () => {
    const { page } = await open('/audit');
    let state = 'inactive';
    const billing = { billing: 'on', trial: null, period_ends_at: null, changed_at: '2026-11-01T00:00:00Z' };
    await page.route('**/v1/subscription', (route) => route.fulfill({ json: { ...billing, state } }));
    await page.goto(`${app().url}/subscription?paid=1`);
    await page.getByText('Waiting for confirmation of the payment.').waitFor();
    state = 'active';
    await page.getByText('The payment is confirmed.').waitFor();
  }, 60_000);

  it('the data of an account from somebody who signs in with another tab', async () => {
    const own = await otherContext();
    const { page } = await open('/settings/profile', own);
    await page.getByRole('main').getByText(account().email, { exact: true }).waitFor();
    const second = await dashboardAccount(app, 'never');
    const other = await own.newPage();
    await other.goto(`${app().url}/auth/login?next=/more`);
    await other.getByLabel('E-mail address').fill(second.email);
    await other.getByLabel('Password').fill(PASSWORD);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.waitForURL('**/more');
    // As browsers report that a tab is shown again.
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))');
    await page.waitForURL((url) => url.pathname === '/');
    await page.getByText('No calls yet.').waitFor();
    expect(await page.content()).not.toContain(account().email);
    expect(new URL(other.url()).pathname).toBe('/more');
  }, 120_000);

  it('a session that could not be ended: the page says so, and a successful sign-out leaves all tabs', async () => {
    const own = await otherContext();
    const { page: other } = await open('/audit', own);
    const { page } = await open('/settings/sessions', own);
    await page.route('**/auth/logout', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('The service did not answer.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings/sessions');
    await page.unroute('**/auth/logout');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('sign out');
    await page.keyboard.press('Enter');
    for (const tab of [page, other]) await tab.waitForURL('**/auth/login*');
  }, 60_000);
});

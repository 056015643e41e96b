import type { BrowserContext, Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, signedIn } from '../support/dashboard-accounts.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';

describeInChromium('Forms and lists of choices of the dashboard', (browser) => {
  const app = appWithProvider();
  let context: BrowserContext;
  let watched: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    const account = await dashboardAccount(app, 'many');
    context = await signedIn(browser(), app().url, account, { viewport: { width: 1280, height: 700 } });
  }, 120_000);
  beforeEach(async () => {
    watched = await WatchedPage.open(context, { allowsRefusals: true });
    ({ page } = watched);
  });
  afterEach(async () => {
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await page.close();
  });

  const open = (path: string): Promise<unknown> => page.goto(`${app().url}${path}`);

  it('move the focus to the first field that the service refused', async () => {
    const details = [
      { path: 'new_email', message: 'is the present address' },
      { path: 'password', message: 'is wrong' },
    ];
    const error = { type: 'invalid_request', message: 'The form is not valid', details };
    await page.route('**/auth/email', (route) => route.fulfill({ status: 422, json: { error } }));
    await open('/settings/profile');
    await page.getByLabel('New e-mail address').fill('other@example.com');
    await page.getByLabel('Password').fill('some password');
    await page.getByRole('button', { name: 'Send a confirmation link' }).click();
    await page.locator('.field .problem').first().waitFor();
    const focused = page.locator('input:focus');
    expect(await focused.getAttribute('type')).toBe('email');
    expect(await focused.getAttribute('aria-invalid')).toBe('true');
  }, 120_000);

  it('are sent once, however often they are submitted before the answer', async () => {
    const sent: string[] = [];
    let answer: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/v1/views', async (route) => {
      sent.push(route.request().postData() ?? '');
      await isAsked;
      await route.fulfill({ status: 422, json: { error: { type: 'invalid_request', message: 'There are too many' } } });
    });
    await open('/events?outcome=blocked');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('blocked calls');
    for (let pressed = 0; pressed < 3; pressed += 1) await page.keyboard.press('Enter');
    answer();
    await page.getByText('There are too many').waitFor();
    expect(sent).toHaveLength(1);
  }, 120_000);

  it('show the choice of the palette that the arrow keys have reached', async () => {
    await open('/');
    await page.getByRole('button', { name: /Search or jump to/ }).click();
    const palette = page.getByRole('dialog');
    await palette.getByRole('option').nth(20).waitFor({ state: 'attached' });
    for (let pressed = 0; pressed < 20; pressed += 1) await page.keyboard.press('ArrowDown');
    const list = await palette.getByRole('listbox').boundingBox();
    const option = await palette.getByRole('option', { selected: true }).boundingBox();
    if (list === null || option === null) throw new Error('the palette is not visible');
    expect(option.y).toBeGreaterThanOrEqual(list.y - 1);
    expect(option.y + option.height).toBeLessThanOrEqual(list.y + list.height + 1);
  }, 120_000);
});

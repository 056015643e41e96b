import { appWithProvider } from '../support/app-with-provider.js';
import { boxOf } from '../support/dashboard-browser.js';
import { pageOfEachTest } from '../support/dashboard-pages.js';
import { describeInChromium } from '../support/describe-in-chromium.js';

describeInChromium('Forms and lists of choices of the dashboard', (browser) => {
  const app = appWithProvider();
  const tab = pageOfEachTest(browser, app, { data: 'many', heightPx: 700, allowsRefusals: true });
  const { goTo } = tab;

  it('move the focus to the first field that the service refused', async () => {
    const details = [
      { path: 'new_email', message: 'is the present address' },
      { path: 'password', message: 'is wrong' },
    ];
    const error = { type: 'invalid_request', message: 'The form is not valid', details };
    await tab.page.route('**/auth/email', (route) => route.fulfill({ status: 422, json: { error } }));
    await goTo('/settings/profile');
    await tab.page.getByLabel('New e-mail address').fill('other@example.com');
    await tab.page.getByLabel('Password').fill('some password');
    await tab.page.getByRole('button', { name: 'Send a confirmation link' }).click();
    await tab.page.locator('.field .problem').first().waitFor();
    const focused = tab.page.locator('input:focus');
    expect(await focused.getAttribute('type')).toBe('email');
    expect(await focused.getAttribute('aria-invalid')).toBe('true');
  }, 120_000);

  it('are sent once, however often they are submitted before the answer', async () => {
    const sent: string[] = [];
    let answer: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await tab.page.route('**/v1/views', async (route) => {
      sent.push(route.request().postData() ?? '');
      await isAsked;
      await route.fulfill({ status: 422, json: { error: { type: 'invalid_request', message: 'There are too many' } } });
    });
    await goTo('/events?outcome=blocked');
    await tab.page.getByRole('button', { name: 'Save view' }).click();
    await tab.page.getByRole('dialog').getByLabel('Name').fill('blocked calls');
    for (let pressed = 0; pressed < 3; pressed += 1) await tab.page.keyboard.press('Enter');
    answer();
    await tab.page.getByText('There are too many').waitFor();
    expect(sent).toHaveLength(1);
  }, 120_000);

  it('show the choice of the palette that the arrow keys have reached', async () => {
    await goTo('/');
    await tab.page.getByRole('button', { name: /Search or jump to/ }).click();
    const palette = tab.page.getByRole('dialog');
    await palette.getByRole('option').nth(20).waitFor({ state: 'attached' });
    for (let pressed = 0; pressed < 20; pressed += 1) await tab.page.keyboard.press('ArrowDown');
    const list = await boxOf(palette.getByRole('listbox'));
    const option = await boxOf(palette.getByRole('option', { selected: true }));
    expect(option.y).toBeGreaterThanOrEqual(list.y - 1);
    expect(option.y + option.height).toBeLessThanOrEqual(list.y + list.height + 1);
  }, 120_000);
});

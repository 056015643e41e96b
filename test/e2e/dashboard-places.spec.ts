import type { Locator } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { boxOf } from '../support/dashboard-browser.js';
import { pageOfEachTest } from '../support/dashboard-pages.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { PASSWORD } from '../support/identity-client.js';

describeInChromium('The dashboard keeps the place of a person', (browser) => {
  const app = appWithProvider();
  const tab = pageOfEachTest(browser, app, { data: 'many', heightPx: 520 });
  const { account, open, asked } = tab;

  const scrolledBy = (box: Locator): Promise<number> => box.evaluate((element) => element.scrollTop);
  const scroll = (box: Locator, top: number): Promise<unknown> =>
    box.evaluate((element, px) => (element.scrollTop = px), top);
  /** Waits until an expression is true in the page. Its policy forbids the browser to evaluate texts by itself. */
  const until = async (expression: string): Promise<void> => {
    for (let tries = 0; tries < 100 && (await tab.page.evaluate(expression)) !== true; tries++)
      await tab.page.waitForTimeout(100);
    expect(await tab.page.evaluate(expression)).toBe(true);
  };
  const main = (): Locator => tab.page.getByRole('main');
  const grid = (): Locator => tab.page.getByRole('grid', { name: 'Events' });

  it('a page opened by a link begins at its top, keys scroll it, and Back returns to the place that was left', async () => {
    // Both pages are loaded, so that the second one is as high as the first from its beginning.
    await open('/policies/production/rules/words.block-ssn');
    await tab.page.getByRole('link', { name: 'Overview', exact: true }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await tab.watched.settled();
    const link = main().getByRole('link', { name: 'words.block-ssn', exact: true }).first();
    await link.focus();
    const left = await scrolledBy(main());
    expect(left).toBeGreaterThan(100);
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('heading', { level: 2, name: 'words.block-ssn' }).waitFor();
    await tab.watched.settled();
    expect(await scrolledBy(main())).toBe(0);
    // The browser scrolls smoothly after the key: Back is pressed by a person who has seen it end.
    await tab.page.evaluate(
      'document.getElementById("main").addEventListener("scrollend", () => (window.atRest = true))',
    );
    await tab.page.keyboard.press('PageDown');
    await until('window.atRest === true');
    expect(await scrolledBy(main())).toBeGreaterThan(100);
    await tab.page.goBack();
    await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await tab.watched.settled();
    expect(await scrolledBy(main())).toBe(left);
  }, 90_000);

  it('a list of events shows the row of the call that was left, and keys go on from there', async () => {
    await open('/events');
    const row = grid().locator('[aria-rowindex="31"]');
    await scroll(grid(), 700);
    await row.click();
    await tab.page.getByRole('tab', { name: 'Conversation' }).waitFor();
    await tab.watched.settled();
    await tab.page.keyboard.press('j');
    await tab.page.getByText('31 of 40').waitFor();
    await tab.watched.settled();
    await tab.page.goBack();
    await tab.page.goBack();
    await grid().waitFor();
    await tab.watched.settled();
    expect(await scrolledBy(grid())).toBeGreaterThan(300);
    // The call that was opened from the list, not the one after it: Back leads through both.
    expect(await grid().getAttribute('aria-activedescendant')).toBe('row-29');
    await tab.page.keyboard.press('j');
    expect(await grid().getAttribute('aria-activedescendant')).toBe('row-30');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByText('31 of 40').waitFor();
    await tab.page.getByRole('link', { name: 'Back to events' }).click();
    await grid().waitFor();
    await tab.watched.settled();
    expect(await grid().getAttribute('aria-activedescendant')).toBe('row-30');
    await tab.page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    await tab.page.getByRole('link', { name: 'Events', exact: true }).first().click();
    await grid().waitFor();
    await tab.watched.settled();
    expect([await scrolledBy(grid()), await grid().getAttribute('aria-activedescendant')]).toEqual([0, null]);
  }, 90_000);

  it('the chart: a drag may end beside it, and only the first button of a mouse opens or selects anything', async () => {
    await open('/');
    const box = await boxOf(tab.page.getByRole('group', { name: /^Calls in the last 24 hours/ }));
    const [y, right] = [box.y + 40, box.x + box.width];
    await tab.page.mouse.click(right - 30, y, { button: 'right' });
    await tab.page.mouse.click(right - 30, y, { button: 'middle' });
    expect(new URL(tab.page.url()).pathname + new URL(tab.page.url()).search).toBe('/');
    await tab.page.mouse.move(right - 200, y);
    await tab.page.mouse.down();
    await tab.page.mouse.move(right - 40, y, { steps: 4 });
    await tab.page.mouse.move(right + 12, y + 4, { steps: 4 });
    await tab.page.mouse.up();
    await tab.page.waitForURL((url) => url.searchParams.has('from'));
    expect(Date.parse(asked('to') ?? '')).toBeGreaterThan(Date.now() - 60_000);
    await tab.page.getByRole('button', { name: 'Show table' }).click();
    // Without the drawing, the pattern of blocked calls in the legend is still there.
    expect(await tab.page.locator('.legend pattern').count()).toBe(1);
  }, 60_000);

  it('a link to the page of a budget shows the window that was chosen', async () => {
    await open('/budgets/production/team-day');
    const scopes = main().getByRole('table');
    const names = scopes.getByRole('button', { name: /^team team \d$/ });
    const pressed = async (): Promise<readonly (string | null)[]> =>
      Promise.all((await names.all()).map((each) => each.getAttribute('aria-pressed')));
    expect(await pressed()).toEqual(['true', 'false', 'false']);
    await names.nth(2).click();
    const address = tab.page.url();
    expect(asked('window')).toMatch(/^[\da-f-]{36}$/);
    await tab.page.goto('about:blank');
    await tab.page.goto(address);
    await tab.watched.settled();
    expect(await pressed()).toEqual(['false', 'false', 'true']);
    await tab.page.goto(`${app().url}/budgets/production/team-day?window=${crypto.randomUUID()}`);
    await tab.page.getByText('The window of this link has ended.').waitFor();
    await tab.page.getByRole('button', { name: 'Show past windows' }).click();
    await tab.page.getByText('This budget has no window with the id of this link.').waitFor();
    expect(asked('past')).toBe('1');
  }, 60_000);

  it('the list of sessions can be limited to apps and outcomes, which its address names', async () => {
    await open(`/sessions?who=me`);
    await tab.page.getByText('This link has a filter that this version does not support: who.').waitFor();
    await tab.page.getByRole('button', { name: 'Remove' }).click();
    const rows = main().getByRole('row');
    expect(await rows.count()).toBe(5);
    await tab.page.getByLabel('Outcome of a call in the session').selectOption('Blocked');
    await tab.page.waitForURL('**/sessions?*outcome=blocked*');
    await tab.watched.settled();
    for (const row of (await rows.all()).slice(1)) expect(await row.innerText()).toMatch(/\d blocked/);
    await tab.page.getByLabel('Outcome of a call in the session').selectOption('Error');
    await tab.page.getByText('No session in the last 24 hours matches.').waitFor();
    await tab.page.getByRole('button', { name: 'Clear filters' }).click();
    await tab.page.getByLabel('App', { exact: true }).selectOption({ index: 1 });
    await tab.page.waitForURL('**/sessions?*app=*');
    await tab.watched.settled();
    expect([asked('app'), asked('outcome'), await rows.count()]).toEqual([account().app, null, 5]);
  }, 60_000);

  it('two tabs: what one of them chooses for this browser is chosen in the other', async () => {
    const other = await tab.page.context().newPage();
    await open('/events');
    await other.goto(`${app().url}/settings/look`);
    await other.getByRole('button', { name: 'Dark', exact: true }).click();
    await other.getByRole('button', { name: 'Comfortable', exact: true }).click();
    await until(`document.documentElement.matches('[data-mantine-color-scheme=dark][data-density=comfortable]')`);
    const first = grid().locator('[aria-rowindex="2"]');
    const before = await first.locator('time').innerText();
    await other.evaluate(`localStorage.setItem('weir.zone', 'Asia/Kathmandu')`);
    await until(`document.querySelector('[aria-rowindex="2"] time').innerText !== ${JSON.stringify(before)}`);
    await other.evaluate('localStorage.clear()');
    await until(`document.documentElement.matches('[data-mantine-color-scheme=light][data-density=regular]')`);
    await other.close();
  }, 60_000);

  it('a sign-in leads to the address that was opened, however long its filters are', async () => {
    const fresh = await browser().newContext({ viewport: { width: 1280, height: 700 } });
    const visitor = await fresh.newPage();
    const text = '価格を教えてください'.repeat(20);
    await visitor.goto(`${app().url}/events?q=${encodeURIComponent(text)}`);
    await visitor.waitForURL('**/auth/login?*');
    await visitor.getByLabel('E-mail address').fill(account().email);
    await visitor.getByLabel('Password').fill(PASSWORD);
    await visitor.getByRole('button', { name: 'Sign in' }).click();
    await visitor.waitForURL('**/events?*');
    expect(new URL(visitor.url()).searchParams.get('q')).toBe(text);
    await fresh.close();
    await open('/events');
  }, 60_000);
});

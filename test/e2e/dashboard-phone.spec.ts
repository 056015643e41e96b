import type { Locator } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { boxOf } from '../support/dashboard-browser.js';
import { pageOfEachTest } from '../support/dashboard-pages.js';
import { PAGES } from '../support/dashboard-states.js';
import { describeInChromium } from '../support/describe-in-chromium.js';

const PHONE = { width: 390, height: 844 };
/** The least height and width of what a finger presses, in CSS pixels; browsers round parts of a pixel. */
const TARGET_PX = 47.5;
/** What a finger presses, except for links and redactions within a text. */
const PRESSED = [
  'button:not(.chip, .link)',
  '.button',
  'select',
  'input:not([type=checkbox])',
  'textarea',
  'summary',
  'nav a',
  'label:has(> [type=checkbox])',
];
const TOO_SMALL = `[...document.querySelectorAll(${JSON.stringify(PRESSED.join())})]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }))
  .map((each) => ({ each, box: each.getBoundingClientRect() }))
  .filter(({ box: { width, height } }) => Math.min(width, height) < ${TARGET_PX})
  .map(({ each, box: { width, height } }) =>
    \`\${each.getAttribute('aria-label') ?? each.textContent.slice(0, 40)}: \${width} x \${height}\`)`;

describeInChromium('The dashboard on a phone', (browser) => {
  const app = appWithProvider();
  const tab = pageOfEachTest(browser, app, { data: 'many' });
  beforeEach(async () => {
    await tab.page.setViewportSize(PHONE);
    // Otherwise a sheet would be measured while it rises.
    await tab.page.emulateMedia({ reducedMotion: 'reduce' });
  });

  const openKeys = (): Promise<void> => tab.open(`/apps/${tab.account().app}/settings/keys`);
  const button = (name: string): Locator => tab.page.getByRole('button', { name, exact: true });
  const sheet = (): Locator => tab.page.getByRole('dialog');
  const isGone = (): Promise<void> => sheet().waitFor({ state: 'detached' });
  const focused = (): Promise<string | null> => tab.page.locator(':focus').getAttribute('aria-label');

  async function dragDown(byPx: number): Promise<void> {
    const { x, y, width } = await boxOf(sheet());
    const { mouse } = tab.page;
    await mouse.move(x + width / 2, y + 8);
    await mouse.down();
    await mouse.move(x + width / 2, y + 8 + byPx, { steps: 4 });
    await mouse.up();
  }

  it('has buttons, fields and tabs of 48 px on every page', async () => {
    const found: string[] = [];
    for (const [name, pathFor] of Object.entries(PAGES)) {
      await tab.open(pathFor(tab.account()));
      const small = (await tab.page.evaluate(TOO_SMALL)) as readonly string[];
      found.push(...small.map((each) => `${name}, ${each}`));
    }
    expect(found).toEqual([]);
  }, 240_000);

  it.each([
    ['Environment: Production', '/'],
    ['Menu', '/'],
    ['24 h, time', '/events'],
    ['Filter', '/events'],
  ])(
    'shows the dialog of "%s" as a sheet at the bottom, with a Close button that returns the focus',
    async (opener, path) => {
      await tab.open(path);
      await button(opener).click();
      const { x, y, width, height } = await boxOf(sheet());
      expect([x, width, y + height]).toEqual([0, PHONE.width, PHONE.height]);
      expect(await tab.page.evaluate(TOO_SMALL)).toEqual([]);
      expect(await tab.watched.faults()).toEqual([]);
      await sheet().getByRole('button', { name: 'Close' }).click();
      await isGone();
      expect(await button(opener).and(tab.page.locator(':focus')).count()).toBe(1);
    },
    120_000,
  );

  it('closes a sheet that is dragged down, except for one with typed text, or with a key that nobody has copied', async () => {
    await openKeys();
    await button('Create a key').click();
    const { y } = await boxOf(sheet());
    await dragDown(40);
    expect((await boxOf(sheet())).y).toBe(y);
    await dragDown(200);
    await isGone();
    await button('Create a key').click();
    await sheet().getByLabel('Name').fill('second');
    await dragDown(200);
    await button('Create key').click();
    await sheet().getByLabel('The new key').waitFor();
    await dragDown(200);
    await sheet().getByLabel('I have stored it').check();
    await sheet().getByRole('button', { name: 'Close' }).last().click();
    await isGone();
  }, 120_000);

  it('shows the fields of a form in full width, and below them the button', async () => {
    await openKeys();
    await button('Create a key').click();
    const last = await boxOf(sheet().getByLabel(/^Expires/));
    const create = await boxOf(button('Create key'));
    expect([last.x, last.width]).toEqual([16, PHONE.width - 32]);
    expect([create.x, create.width]).toEqual([last.x, last.width]);
    expect(create.y).toBeGreaterThan(last.y + last.height);
  }, 120_000);

  it('shows one ranking of the overview at a time', async () => {
    await tab.open('/');
    const heading = (name: string): Locator => tab.page.getByRole('heading', { name });
    await heading('Rules that fire most').waitFor();
    expect(await heading('Apps by cost').count()).toBe(0);
    await button('Apps').click();
    await heading('Apps by cost').waitFor();
    expect(await heading('Rules that fire most').count()).toBe(0);
  }, 120_000);

  it('has the environment under the title', async () => {
    await tab.open('/events');
    const title = await boxOf(tab.page.getByRole('heading', { level: 1 }));
    const chip = await boxOf(button('Environment: Production'));
    expect([chip.x, chip.y]).toEqual([title.x, title.y + title.height]);
    await button('Environment: Production').click();
    await button('Staging').click();
    await tab.page.waitForURL('**/events?*env=staging*');
    await button('Environment: Staging').waitFor();
    expect(await focused()).toBe('Environment: Staging');
  }, 120_000);

  it('has the search in the menu of the top bar', async () => {
    await tab.open('/');
    await button('Menu').click();
    await button('Search or jump to…').click();
    await tab.page.getByRole('combobox', { name: 'Search or jump to' }).waitFor();
    await tab.page.keyboard.press('Escape');
    await isGone();
    expect(await focused()).toBe('Menu');
  }, 120_000);

  it('keeps the filters of the events in one line, which scrolls', async () => {
    await tab.open('/events?outcome=blocked&model=gpt-4o&provider=openai');
    const strip = tab.page.locator('.strip');
    expect((await boxOf(strip)).height).toBeLessThan(2 * TARGET_PX);
    const isWider = await strip.evaluate((element) => {
      const { scrollWidth, clientWidth } = element as unknown as { scrollWidth: number; clientWidth: number };
      return scrollWidth > clientWidth;
    });
    expect(isWider).toBe(true);
    // A click scrolls to the button first, as a finger does.
    await button('Remove Provider').click();
    await tab.page.waitForURL((url) => !url.searchParams.has('provider'));
  }, 120_000);

  it('has the actions of a key in a menu', async () => {
    await openKeys();
    await button('Actions for first').click();
    await sheet().getByRole('button', { name: 'Rotate' }).click();
    const dialog = tab.page.getByRole('dialog', { name: 'Rotate first' });
    await dialog.getByRole('button', { name: 'Close' }).click();
    await isGone();
    expect(await focused()).toBe('Actions for first');
  }, 120_000);
});

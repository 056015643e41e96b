import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, MANY, signedIn, type DashboardAccount } from '../support/dashboard-accounts.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';

/** What of the page is on paper, measured inside the browser. */
const MEASURE = `(() => {
  const main = document.getElementById('main');
  const shown = (selector) =>
    [...document.querySelectorAll(selector)].filter((each) => each.offsetParent !== null).length;
  return {
    isWhole: main.scrollHeight <= main.clientHeight && document.documentElement.scrollHeight >= main.offsetHeight,
    isLong: main.scrollHeight > innerHeight,
    color: getComputedStyle(document.body).color,
    navigation: shown('.nav, .tabbar, .segments-bar'),
    buttons: shown('.button:not(.range)'),
    range: shown('.range'),
  };
})()`;

describeInChromium('A printed page of the dashboard', (browser) => {
  const app = appWithProvider();
  let account: DashboardAccount;
  beforeAll(async () => {
    account = await dashboardAccount(app, 'many');
  }, 120_000);

  it.each([1000, 700])(
    'has all of its content on a light ground and no controls, at %i px',
    async (width) => {
      const look = { viewport: { width, height: 240 }, colorScheme: 'dark' } as const;
      const context = await signedIn(browser(), app().url, account, look);
      const watched = await WatchedPage.open(context);
      const { page } = watched;
      for (const path of ['/', '/audit', '/policies/production', `/events/${account.event}?tab=facts`]) {
        await page.goto(`${app().url}${path}`);
        await watched.settled();
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        expect([path, await page.evaluate(MEASURE)]).toEqual([
          path,
          { isWhole: true, isLong: true, color: 'rgb(23, 28, 34)', navigation: 0, buttons: 0, range: 1 },
        ]);
        await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
      }
      await page.goto(`${app().url}/events`);
      await watched.settled();
      const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') });
      expect(await rows.count()).toBeLessThan(MANY);
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      await page.evaluate('dispatchEvent(new Event("beforeprint"))');
      expect(await rows.count()).toBe(MANY);
      const { bottom } = await rows.last().evaluate((row) => row.getBoundingClientRect());
      expect(bottom).toBeLessThanOrEqual(await page.evaluate<number>('document.documentElement.scrollHeight'));
      await page.evaluate('dispatchEvent(new Event("afterprint"))');
      await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
      await rows.nth(MANY - 1).waitFor({ state: 'detached' });
      await context.close();
    },
    120_000,
  );
});

import type { BrowserContext } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, signedIn, type AccountSize, type DashboardAccount } from '../support/dashboard-accounts.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { Answers, PACES, type Pace } from '../support/dashboard-pace.js';
import { addressOf, Obstacle, PAGES, SIZES, TROUBLES } from '../support/dashboard-states.js';
import { visit } from '../support/dashboard-visit.js';

const LOOKS = [
  ['light', 1280],
  ['dark', 390],
  ['dark', 1280],
  ['light', 390],
] as const;

type Case = readonly [page: string, size: string, trouble: string, scheme: 'light' | 'dark', width: number, pace: Pace];

/**
 * Each page once and each size with each trouble once, with alternating themes, widths and paces. WEIR_TEST_STATES=all
 * selects every combination; names of pages, sizes and troubles (separated by commas) select the combinations of these.
 * WEIR_TEST_PACE selects paces (separated by commas) instead of answers without delay.
 */
function cases(): readonly Case[] {
  const all = [Object.keys(PAGES), Object.keys(SIZES), Object.keys(TROUBLES)] as const;
  const [pages, sizes, troubles] = all;
  const wanted = process.env['WEIR_TEST_STATES'] ?? '';
  const asked = process.env['WEIR_TEST_PACE'] ?? '';
  if (wanted === '' && asked === '') {
    return pages.map((page, index) => [
      page,
      sizes[index % sizes.length]!,
      troubles[Math.floor(index / sizes.length) % troubles.length]!,
      ...LOOKS[(index + Math.floor(index / sizes.length)) % LOOKS.length]!,
      index % 2 === 0 ? 'last asked first' : 'one by one',
    ]);
  }
  const paces = asked === '' ? (['as they come'] as const) : PACES.filter((pace) => asked.split(',').includes(pace));
  const names = wanted === 'all' || wanted === '' ? [] : wanted.split(',');
  const unknown = names.filter((name) => !all.some((known) => known.includes(name)));
  if (unknown.length > 0) throw new Error(`WEIR_TEST_STATES: there is no page, size or trouble ${unknown.join(', ')}`);
  const among = (known: readonly string[]): readonly string[] => {
    const named = known.filter((each) => names.includes(each));
    return named.length === 0 ? known : named;
  };
  return among(pages).flatMap((page) =>
    among(sizes).flatMap((size) =>
      among(troubles).flatMap((trouble) =>
        paces.flatMap((pace) => LOOKS.map((look) => [page, size, trouble, ...look, pace] as const)),
      ),
    ),
  );
}

describeInChromium('A page of the dashboard', (browser) => {
  const app = appWithProvider();
  const accounts = new Map<AccountSize, DashboardAccount>();
  const contexts = new Map<string, BrowserContext>();
  beforeAll(async () => {
    for (const size of ['never', 'one', 'many'] as const) accounts.set(size, await dashboardAccount(app, size));
  }, 120_000);

  async function contextOf(size: AccountSize, colorScheme: 'light' | 'dark', width: number): Promise<BrowserContext> {
    const key = `${size} ${colorScheme} ${width}`;
    const known = contexts.get(key);
    if (known !== undefined) return known;
    const options = { viewport: { width, height: 844 }, colorScheme };
    const context = await signedIn(browser(), app().url, accounts.get(size)!, options);
    contexts.set(key, context);
    return context;
  }

  it.each(cases())(
    'has no faults: %s, data "%s", failure "%s", %s theme, %i px, answers %s',
    async (name, sizeName, troubleName, scheme, width, pace) => {
      const size = SIZES[sizeName]!;
      const trouble = TROUBLES[troubleName]!;
      const account = accounts.get(size.account)!;
      const context = await contextOf(size.account, scheme, width);
      const watched = await WatchedPage.open(context, {
        // The two other accounts have no budget of that name.
        allowsRefusals: trouble.fault !== undefined || size.account !== 'many',
      });
      const obstacle = trouble.fault === undefined ? undefined : await Obstacle.put(context, trouble.fault());
      const answers = await Answers.pace(watched.page, pace);
      try {
        const url = `${app().url}${addressOf(name, size, account)}`;
        expect(await visit(watched, { url, trouble, obstacle, look: () => watched.faults() })).toEqual([]);
      } finally {
        obstacle?.lift();
        await answers.letGo();
        await context.unrouteAll({ behavior: 'ignoreErrors' });
        await watched.page.close();
      }
    },
    120_000,
  );
});

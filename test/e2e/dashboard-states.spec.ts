import type { Browser, BrowserContext, Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, signedIn, type AccountSize, type DashboardAccount } from '../support/dashboard-accounts.js';
import { CHROMIUM, launchChromium, WatchedPage } from '../support/dashboard-browser.js';
import { Answers, PACES, type Pace } from '../support/dashboard-pace.js';
import { Obstacle, PAGES, STATES } from '../support/dashboard-states.js';

const MAX_SHIFT = 0.02;
/** For what a busy machine is late with; where all is well nothing waits that long. */
const WAIT_MS = 45_000;
const LOOKS = [
  ['light', 1280],
  ['dark', 390],
  ['dark', 1280],
  ['light', 390],
] as const;

type Case = readonly [page: string, state: string, scheme: 'light' | 'dark', width: number, pace: Pace];

/**
 * Each page and each state once, looks and paces in turn. WEIR_TEST_STATES=all, or names of pages and states, asks for
 * every combination; WEIR_TEST_PACE for these paces (split by commas) instead of answers as they come.
 */
function cases(): readonly Case[] {
  const [pages, states] = [Object.keys(PAGES), Object.keys(STATES)];
  const wanted = process.env['WEIR_TEST_STATES'] ?? '';
  const asked = process.env['WEIR_TEST_PACE'] ?? '';
  if (wanted === '' && asked === '') {
    return pages.map((page, index) => [
      page,
      states[(index * 4) % states.length]!,
      ...LOOKS[index % LOOKS.length]!,
      index % 2 === 0 ? 'last asked first' : 'one by one',
    ]);
  }
  const paces = asked === '' ? (['as they come'] as const) : PACES.filter((pace) => asked.split(',').includes(pace));
  const names = wanted.split(',');
  const isAll = wanted === '' || wanted === 'all';
  const byPage = names.some((each) => each in PAGES);
  const byState = names.some((each) => each in STATES);
  return pages
    .filter((page) => isAll || !byPage || names.includes(page))
    .flatMap((page) =>
      states
        .filter((state) => isAll || !byState || names.includes(state))
        .flatMap((state) => paces.flatMap((pace) => LOOKS.map((look) => [page, state, ...look, pace] as const))),
    );
}

const title = 'Every page of the dashboard in every state';
if (CHROMIUM === undefined) console.warn(`SKIPPED, no Chromium found (WEIR_TEST_CHROMIUM names one): ${title}`);

(CHROMIUM === undefined ? describe.skip : describe)(title, () => {
  const app = appWithProvider({
    WEIR_RATE_AUTH: 'off',
    WEIR_RATE_MANAGEMENT: 'off',
    WEIR_RATE_EVENTS: 'off',
    WEIR_RATE_ADDRESS: 'off',
  });
  const accounts = new Map<AccountSize, DashboardAccount>();
  const contexts = new Map<string, BrowserContext>();
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
    for (const size of ['never', 'one', 'many'] as const) accounts.set(size, await dashboardAccount(app, size));
  }, 120_000);
  afterAll(async () => {
    await browser.close();
  });

  async function contextOf(size: AccountSize, colorScheme: 'light' | 'dark', width: number): Promise<BrowserContext> {
    const key = `${size} ${colorScheme} ${width}`;
    const known = contexts.get(key);
    if (known !== undefined) return known;
    const options = { viewport: { width, height: 844 }, colorScheme };
    const context = await signedIn(browser, app().url, accounts.get(size)!, options);
    contexts.set(key, context);
    return context;
  }

  it.each(cases())(
    'shows %s, %s, in the %s theme at %i px, answers coming %s',
    async (name, stateName, scheme, width, pace) => {
      const state = STATES[stateName]!;
      const account = accounts.get(state.account)!;
      const context = await contextOf(state.account, scheme, width);
      const path = PAGES[name]!(account);
      const url = `${app().url}${path}${state.search === undefined ? '' : `${path.includes('?') ? '&' : '?'}${state.search}`}`;
      const watched = await WatchedPage.open(context, {
        // The two others have no budget of that name.
        allowsRefusals: state.fault !== undefined || state.account !== 'many',
      });
      const { page } = watched;
      const obstacle = state.fault === undefined ? undefined : await Obstacle.put(context, state.fault);
      const answers = await Answers.pace(page, pace);
      try {
        await page.goto(url);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        if (stateName === 'loading') {
          if (obstacle!.struck > 0) expect(await page.getByText('Could not load').count()).toBe(0);
        } else if (obstacle !== undefined && (await struck(watched, obstacle))) {
          await page.getByText(state.said!).first().waitFor({ timeout: WAIT_MS });
          expect(await visibleText(page)).toMatch(state.said!);
          expect(await watched.faults()).toEqual([]);
        }
        obstacle?.lift();
        // What moves when a person has pressed something does so at their wish.
        const jumpsBefore = state.helps === undefined ? undefined : await watched.jumps(MAX_SHIFT);
        if (obstacle !== undefined && obstacle.struck > 0) await state.helps?.(page);
        await page.getByText('Could not load').first().waitFor({ state: 'detached', timeout: WAIT_MS });
        await watched.settled();
        expect(page.url()).toBe(url);
        expect(await watched.faults()).toEqual([]);
        expect(jumpsBefore ?? (await watched.jumps(MAX_SHIFT))).toEqual([]);
      } finally {
        obstacle?.lift();
        await answers.letGo();
        await context.unrouteAll({ behavior: 'ignoreErrors' });
        await page.close();
      }
    },
    120_000,
  );
});

/** Whether the page asked for anything that the fault could strike. */
async function struck(watched: WatchedPage, obstacle: Obstacle): Promise<boolean> {
  // What waits for a password, or for an answer that is held, never settles.
  await Promise.race([obstacle.first, watched.settled()]);
  return obstacle.struck > 0;
}

async function visibleText(page: Page): Promise<string> {
  return page.locator('body').innerText();
}

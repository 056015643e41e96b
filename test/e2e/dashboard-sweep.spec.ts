import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, type AccountSize, type DashboardAccount } from '../support/dashboard-accounts.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { askedOfAMillion, ofAMillion } from '../support/dashboard-million.js';
import { SceneServer, type Memory } from '../support/dashboard-scenes.js';
import { addressOf, Obstacle, PAGES, SIZES, TROUBLES, type Size } from '../support/dashboard-states.js';
import { visit } from '../support/dashboard-visit.js';
import { seededRandom } from '../support/seeded-random.js';

const SEED = Number(process.env['WEIR_TEST_SEED'] ?? 1);
const AMOUNTS: Readonly<Record<string, Size & { readonly isMillion?: true }>> = {
  never: { account: 'never' },
  'empty by filter': { account: 'many', search: SIZES['empty by filter']?.search ?? '' },
  one: { account: 'one' },
  'a million': { account: 'many', isMillion: true },
};
const MILLION = { asked: askedOfAMillion, answered: ofAMillion };
/** A state that does not show its fault: the first steps are displayed instead of the part that fails. */
const UNTOLD = 'overview, never, partial failure';
const WIDTHS = [1280, 390] as const;
const THEMES = ['light', 'dark'] as const;
/** The number of pages that are open at a time: most of a visit is waiting. */
const OPEN_PAGES = 3;
/** The number of visits to each page in a sample. */
const VISITS = 4;

interface State {
  readonly page: string;
  readonly amount: string;
  readonly trouble: string;
  readonly width: (typeof WIDTHS)[number];
  /** The theme in which the page is opened; it is then switched to the other theme without a reload. */
  readonly first: (typeof THEMES)[number];
}

/** All visits; each shows two states, one in each theme. The visits without a fault are first. */
const ALL: readonly State[] = Object.keys(PAGES).flatMap((page, at) =>
  Object.keys(TROUBLES).flatMap((trouble) =>
    Object.keys(AMOUNTS).flatMap((amount, nth) =>
      WIDTHS.map((width, which) => ({
        page,
        amount,
        trouble,
        width,
        first: THEMES[(at + nth + which) % 2] ?? 'light',
      })),
    ),
  ),
);

/**
 * If `WEIR_TEST_SWEEP` is empty, a sample by the seed: four visits to each page, with each amount combined with each
 * trouble at least once. `all` selects all visits; names of pages, amounts and troubles select the combinations of these.
 */
function chosen(): readonly State[] {
  const wanted = process.env['WEIR_TEST_SWEEP'] ?? '';
  if (wanted === 'all') return ALL;
  if (wanted !== '') return named(wanted.split(','));
  const random = seededRandom(SEED);
  const pairs = shuffled(
    Object.keys(AMOUNTS).flatMap((amount) => Object.keys(TROUBLES).map((trouble) => [amount, trouble] as const)),
    random,
  );
  return Object.keys(PAGES).flatMap((page, at) =>
    Array.from({ length: VISITS }, (_, nth) => {
      const [amount, trouble] = pairs[(at * VISITS + nth) % pairs.length] ?? ['one', 'no fault'];
      const width = WIDTHS[Math.floor(random() * 2)] ?? 390;
      return { page, amount, trouble, width, first: THEMES[Math.floor(random() * 2)] ?? 'light' };
    }),
  );
}

function named(names: readonly string[]): readonly State[] {
  const known = [PAGES, AMOUNTS, TROUBLES].map((of) => Object.keys(of));
  const unknown = names.filter((name) => !known.some((of) => of.includes(name)));
  if (unknown.length > 0) throw new Error(`WEIR_TEST_SWEEP: there is no page, amount or trouble ${unknown.join(', ')}`);
  const [pages, amounts, troubles] = known.map((of) => new Set(of.filter((name) => names.includes(name))));
  const fits = (of: Set<string> | undefined, name: string): boolean =>
    of === undefined || of.size === 0 || of.has(name);
  return ALL.filter(
    ({ page, amount, trouble }) => fits(pages, page) && fits(amounts, amount) && fits(troubles, trouble),
  );
}

function shuffled<T>(list: readonly T[], random: () => number): readonly T[] {
  return list
    .map((each) => ({ each, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ each }) => each);
}

/** `WEIR_TEST_PICTURES` names a folder for screenshots: tests find faults, people find ugly pages. */
async function keepPicture(page: Page, { page: name, amount, trouble, width }: State, theme: string): Promise<void> {
  const folder = process.env['WEIR_TEST_PICTURES'] ?? '';
  if (folder === '') return;
  await page.screenshot({
    path: join(folder, `${[name, amount, trouble, theme, width].join('-').replaceAll(' ', '_')}.png`),
  });
}

describeInChromium(
  'The dashboard with every amount of data and every simulated failure, in both themes and widths',
  (browser) => {
    const app = appWithProvider();
    const states = chosen();
    const accounts = new Map<AccountSize, DashboardAccount>();
    const places: { readonly server: SceneServer; readonly watched: WatchedPage }[] = [];
    let seen = 0;
    const began = performance.now();

    beforeAll(async () => {
      for (const size of ['never', 'one', 'many'] as const) accounts.set(size, await dashboardAccount(app, size));
      const memory: Memory = new Map();
      for (let nth = 0; nth < OPEN_PAGES; nth++) {
        const server = await SceneServer.start(app().url, memory, seededRandom(SEED + nth));
        // Otherwise colours would be checked during their transitions.
        const context = await browser().newContext({ reducedMotion: 'reduce' });
        places.push({ server, watched: await WatchedPage.open(context) });
      }
    }, 180_000);
    afterAll(async () => {
      const seconds = Math.round((performance.now() - began) / 1000);
      process.stderr.write(`${seen} of ${2 * ALL.length} states of the dashboard were looked at, in ${seconds} s.\n`);
      await Promise.all(places.map(({ server }) => server.close()));
    });

    it.each([...new Set(states.map(({ page }) => page))])(
      'shows %s without defects, reports a simulated failure, and recovers from it',
      async (name) => {
        const left = states.filter(({ page }) => page === name);
        const wrong: string[] = [];
        const work = async (place: (typeof places)[number]): Promise<void> => {
          for (let state = left.shift(); state !== undefined; state = left.shift()) {
            const found = await lookedAt(state, place).catch((error: unknown) => [String(error)]);
            const { amount, trouble, width, first } = state;
            const lines = found.map((fault) => `${amount}, ${trouble}, ${width} px, ${first} first: ${fault}`);
            // Faults are printed immediately because the whole run takes long.
            for (const line of lines) process.stderr.write(`${name}, ${line}\n`);
            wrong.push(...lines);
            seen += THEMES.length;
          }
        };
        await Promise.all(places.map(work));
        expect(wrong).toEqual([]);
      },
      1_800_000,
    );

    async function lookedAt(state: State, { server, watched }: (typeof places)[number]): Promise<string[]> {
      const size = AMOUNTS[state.amount];
      const isTold = [state.page, state.amount, state.trouble].join(', ') !== UNTOLD;
      const trouble = isTold ? TROUBLES[state.trouble] : { fault: TROUBLES[state.trouble]?.fault };
      const account = size === undefined ? undefined : accounts.get(size.account);
      if (size === undefined || trouble === undefined || account === undefined)
        throw new Error('there is no such state');
      // The two other accounts have no budget of that name.
      await watched.leave({ allowsRefusals: trouble.fault !== undefined || size.account !== 'many' });
      const obstacle = trouble.fault === undefined ? undefined : new Obstacle(trouble.fault());
      server.show({ account, obstacle, change: size.isMillion === true ? MILLION : undefined });
      const { page } = watched;
      await page.setViewportSize({ width: state.width, height: 844 });
      await page.emulateMedia({ colorScheme: state.first });
      const second = state.first === 'dark' ? 'light' : 'dark';
      const look = async (): Promise<string[]> => {
        const found = await watched.faults();
        await keepPicture(page, state, state.first);
        await page.emulateMedia({ colorScheme: second });
        found.push(...(await watched.faults({ axe: 'contrast' })));
        await keepPicture(page, state, second);
        return found;
      };
      const url = `${server.url}${addressOf(state.page, size, account)}`;
      return visit(watched, { url, trouble, obstacle, look }).finally(() => obstacle?.lift());
    }
  },
);

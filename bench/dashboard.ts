import { availableParallelism, loadavg } from 'node:os';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchChromium } from '../test/support/dashboard-browser.js';
import { framesOf, TRACED } from './dashboard-frames.js';
import { weights } from './dashboard-weight.js';
import { median } from './load.js';
import { seedYear } from './search-events.js';
import { recordTemplates } from './search-templates.js';
import { numberOption } from './options.js';
import { machineLoad, startWeir, type WeirService } from './weir-service.js';

/**
 * Measures size and speed of the dashboard in a real Chromium, with a service whose log has the given number of events,
 * and compares each figure with its goal. Milliseconds of pages and clicks are waiting times, so goals missed on an
 * overloaded machine are reported as `busy`; the CPU time of the page's main thread, which other load hardly
 * changes, is printed next to them. Exits 1 when a goal is missed.
 *
 * `npm run bench -- dashboard [--events 30000] [--rounds 5] [--rows 10000]`
 */
const EVENTS = numberOption('events', 30000);
const ROUNDS = numberOption('rounds', 5);
const ROWS = numberOption('rows', 10000);
const LONGEST_WORDS = 400;
const MONTHS = 1;
const SCROLL_PX = 400;
const SCROLL_FRAMES = 240;
const VIEWPORT = { width: 1280, height: 800 };

const FIRST_PAINT_MS = 800;
const USABLE_MS = 1_200;
const ROUTE_MS = 100;
const THEME_MS = 50;
const FRAME_MS = 50;
const MAX_NODES = 1_500;

/** Each page with the elements that must be present before a person can work with it. */
const PAGES: readonly (readonly [name: string, path: (call: string) => string, ready: string])[] = [
  ['overview', () => '/?env=all&range=30d', '.tiles b'],
  ['events', () => '/events?env=all&range=30d', '[role=row][aria-selected]'],
  ['one call', (call) => `/events/${call}`, '[role=tab]'],
  ['policies', () => '/policies/production', 'main table tbody tr'],
];

interface Inside {
  readonly document: {
    querySelector(selector: string): (Clickable & { scrollTop: number; scrollHeight: number }) | null;
    readonly documentElement: { getAnimations?(): unknown };
    querySelectorAll(selector: string): { readonly length: number };
  };
  readonly performance: {
    now(): number;
    mark(name: string): void;
    getEntriesByName(name: string): { startTime: number }[];
  };
  requestAnimationFrame(then: () => void): void;
  readonly weirUsable: { atMs?: number; isReady(): boolean };
}
interface Clickable {
  click(): void;
}

let missed = 0;

/**
 * Prints one figure with its goal, and counts it if the goal is missed.
 *
 * @param isWaited whether the figure is a waiting time: on a machine with a load above its number of processors, a missed goal is then
 * only reported as busy
 */
function printFigure(name: string, value: number, goal: number, unit: string, more = '', isWaited = false): void {
  const isBusy = isWaited && loadavg()[0]! > availableParallelism();
  const isMissed = value > goal;
  if (isMissed && !isBusy) missed++;
  const figure = value < 10 ? value.toFixed(1) : value.toFixed(0);
  const verdict = isMissed ? (isBusy ? 'busy  ' : 'MISSED') : 'ok    ';
  process.stdout.write(`${verdict} ${name.padEnd(44)} ${figure.padStart(6)} ${unit} (goal ${goal} ${unit})${more}\n`);
}

function weigh(): void {
  for (const { name, kilobytes, goal } of weights('dist/dashboard')) printFigure(name, kilobytes, goal, 'kB');
}

/** Script for the page that checks in every frame whether the page is usable, and records the time when it is. */
function watchFor(ready: string): string {
  return `(() => {
    const usable = { isReady: () => document.querySelector(${JSON.stringify(ready)}) !== null &&
      document.querySelector('main .skeleton') === null };
    globalThis.weirUsable = usable;
    const look = () => {
      if (usable.isReady()) requestAnimationFrame(() => (usable.atMs = performance.now()));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })()`;
}

interface View {
  readonly paintMs: number;
  readonly usableMs: number;
  readonly threadMs: number;
  readonly nodes: number;
}

/** Opens one page with an empty browser cache and measures it. */
async function viewed(browser: Browser, state: SignedIn, url: string, ready: string): Promise<View> {
  const context = await browser.newContext({ viewport: VIEWPORT, storageState: state });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.addInitScript(watchFor(ready));
  await page.goto(url);
  await page.waitForFunction(() => (globalThis as unknown as Inside).weirUsable.atMs !== undefined, undefined, {
    polling: 'raf',
  });
  const thread = await threadMs(session);
  const inside = await page.evaluate(() => {
    const { document, performance, weirUsable } = globalThis as unknown as Inside;
    return {
      paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      usableMs: weirUsable.atMs ?? 0,
      nodes: document.querySelectorAll('*').length,
    };
  });
  await context.close();
  return { ...inside, threadMs: thread };
}

/** CPU time of the page's main thread so far, in milliseconds. */
async function threadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
}

type SignedIn = Awaited<ReturnType<typeof signIn>>;

async function signIn(browser: Browser, { url, account }: WeirService) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/auth/login?next=/more`);
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password').fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/more');
  const state = await context.storageState();
  await context.close();
  return state;
}

async function openPages(browser: Browser, weir: WeirService, state: SignedIn): Promise<void> {
  const answer = await fetch(`${weir.url}/v1/events?type=ai.request&limit=1`, {
    headers: { authorization: `Bearer ${weir.token}` },
  });
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
  for (const [name, path, ready] of PAGES) {
    const views: View[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      views.push(await viewed(browser, state, `${weir.url}${path(data[0]!.id)}`, ready));
    }
    const middle = (read: (view: View) => number): number => median(views.map(read));
    printFigure(
      `${name}: first paint`,
      middle(({ paintMs }) => paintMs),
      FIRST_PAINT_MS,
      'ms',
      '',
      true,
    );
    const thread = `, ${middle(({ threadMs }) => threadMs).toFixed(0)} ms of the main thread`;
    printFigure(
      `${name}: usable`,
      middle(({ usableMs }) => usableMs),
      USABLE_MS,
      'ms',
      thread,
      true,
    );
    printFigure(
      `${name}: elements`,
      middle(({ nodes }) => nodes),
      MAX_NODES,
      'of them',
    );
  }
}

interface Clicked {
  readonly tookMs: number;
  readonly threadMs: number;
}

/** Clicks an element, and measures the milliseconds until the result is drawn. */
async function clicked(page: Page, session: CDPSession, selector: string, ready: string): Promise<Clicked> {
  const before = await threadMs(session);
  const tookMs = await page.evaluate(
    ([what, until]) => {
      const { document, performance, requestAnimationFrame } = globalThis as unknown as Inside;
      return new Promise<number>((resolve) => {
        const startMs = performance.now();
        const look = (): void => {
          if (until === '' || document.querySelector(until!) !== null)
            requestAnimationFrame(() => resolve(performance.now() - startMs));
          else requestAnimationFrame(look);
        };
        document.querySelector(what!)!.click();
        requestAnimationFrame(look);
      });
    },
    [selector, ready] as const,
  );
  return { tookMs, threadMs: (await threadMs(session)) - before };
}

async function walk(page: Page, url: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const [[, overview, tile], [, , row]] = [PAGES[0]!, PAGES[1]!];
  await page.goto(`${url}${overview('')}`);
  await page.locator(tile).first().waitFor();
  const there: Clicked[] = [];
  const back: Clicked[] = [];
  const theme: Clicked[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    there.push(await clicked(page, session, 'nav a[href^="/events"]', row));
    back.push(await clicked(page, session, 'nav a[href^="/?"], nav a[href="/"]', tile));
    theme.push(await clicked(page, session, 'button[aria-label^="Theme:"]', ''));
  }
  const printClicks = (name: string, clicks: readonly Clicked[], goal: number): void => {
    // The first click also loads code and data that later clicks find in the cache.
    const later = clicks.slice(1);
    const thread = median(later.map((each) => each.threadMs));
    printFigure(
      name,
      median(later.map(({ tookMs }) => tookMs)),
      goal,
      'ms',
      `, ${thread.toFixed(0)} ms of the main thread`,
      true,
    );
  };
  printClicks('overview to events, loaded before', there, ROUTE_MS);
  printClicks('events to overview, loaded before', back, ROUTE_MS);
  printClicks('another theme', theme, THEME_MS);
}

/** Scrolls to the end repeatedly until at least ROWS rows are loaded. @returns the number of rows */
async function loadRows(page: Page, url: string): Promise<number> {
  await page.goto(`${url}/events?env=all&range=90d`);
  await page.locator(PAGES[1]![2]).first().waitFor();
  for (;;) {
    const rows = await page.evaluate(() => {
      const box = (globalThis as unknown as Inside).document.querySelector('[role=grid]')!;
      box.scrollTop = box.scrollHeight;
      return Math.round(box.scrollHeight / 32) - 1;
    });
    if (rows >= ROWS) return rows;
    await page.waitForFunction(
      (before) => (globalThis as unknown as Inside).document.querySelector('[role=grid]')!.scrollHeight > before,
      (rows + 1) * 32 + 40,
      { polling: 'raf' },
    );
  }
}

async function scroll(browser: Browser, page: Page, url: string): Promise<void> {
  const rows = await loadRows(page, url);
  await browser.startTracing(page, { categories: TRACED });
  await page.evaluate(
    ([step, frames]) => {
      const { document, performance, requestAnimationFrame } = globalThis as unknown as Inside;
      const box = document.querySelector('[role=grid]')!;
      return new Promise<void>((resolve) => {
        let [at, direction] = [0, -1];
        const frame = (): void => {
          performance.mark('weir-frame');
          if (box.scrollTop <= 0) direction = 1;
          box.scrollTop += direction * step;
          at += 1;
          if (at < frames) requestAnimationFrame(frame);
          else resolve();
        };
        requestAnimationFrame(frame);
      });
    },
    [SCROLL_PX, SCROLL_FRAMES] as const,
  );
  const frames = framesOf(await browser.stopTracing());
  const sorted = frames.map(({ workMs }) => workMs).sort((left, right) => left - right);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  const more = `, median ${median(sorted).toFixed(1)}, p95 ${p95.toFixed(1)}; ${rows} rows, ${frames.length} frames of ${SCROLL_PX} px`;
  printFigure('scripting and layout of a frame, at most', sorted.at(-1) ?? Infinity, FRAME_MS, 'ms', more);
  const nodes = await page.evaluate(() => (globalThis as unknown as Inside).document.querySelectorAll('*').length);
  printFigure(`elements with ${rows} rows`, nodes, MAX_NODES, 'of them');
}

weigh();
const now = new Date();
const weir = await startWeir(
  {},
  {
    record: (first) => recordTemplates(first, LONGEST_WORDS),
    fill: async (database, accountId) => {
      await seedYear(database, { accountId, events: EVENTS, months: MONTHS, now });
    },
  },
);
const browser = await launchChromium();
try {
  process.stdout.write(`${EVENTS} events in the embedded database; ${machineLoad()}\n`);
  const state = await signIn(browser, weir);
  await openPages(browser, weir, state);
  const context = await browser.newContext({ viewport: VIEWPORT, storageState: state });
  const page = await context.newPage();
  await walk(page, weir.url);
  await scroll(browser, page, weir.url);
  process.stdout.write(`${machineLoad()}\n`);
} finally {
  await browser.close();
  await weir.stop();
}
if (missed > 0) process.exitCode = 1;

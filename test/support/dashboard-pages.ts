/** Pages of the dashboard for the tests of a suite: one account for all of them, and watched pages that are closed after each test. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { dashboardAccount, signedIn, type AccountSize, type DashboardAccount } from './dashboard-accounts.js';
import { WatchedPage } from './dashboard-browser.js';
import { Keyboard } from './dashboard-keyboard.js';
import type { TestApp } from './test-app.js';

const WIDTH_PX = 1280;

interface PagesOptions {
  /** The amount of data in the account. */
  readonly data: AccountSize;
  readonly heightPx?: number;
  /** Ignores the browser's messages about failed loads, because the tests plant failures. */
  readonly allowsRefusals?: boolean;
}

interface OpenPage {
  readonly watched: WatchedPage;
  readonly page: Page;
  readonly keys: Keyboard;
}

/**
 * Fills an account before the tests of a suite, for tests that open pages as they need them. After each test, closes the pages and the
 * browser contexts that were opened for it.
 */
export function signedInPages(
  browser: () => Browser,
  app: () => TestApp,
  { data, heightPx = 900, allowsRefusals = false }: PagesOptions,
) {
  const usual = { width: WIDTH_PX, height: heightPx };
  const opened: { close(): Promise<void> }[] = [];
  let account: DashboardAccount;
  let shared: Promise<BrowserContext> | undefined;
  beforeAll(async () => {
    account = await dashboardAccount(app, data);
  }, 120_000);
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  /** The browser context of all pages that are opened in no other one. The account's person signs in when it is first needed. */
  const context = (): Promise<BrowserContext> =>
    (shared ??= signedIn(browser(), app().url, account, { viewport: usual }));

  /** A new browser context, in which the account's person is signed in too. */
  async function otherContext(viewport = usual): Promise<BrowserContext> {
    const other = await signedIn(browser(), app().url, account, { viewport });
    opened.push(other);
    return other;
  }

  /** An empty page. */
  async function newPage(within?: BrowserContext): Promise<OpenPage> {
    const watched = await WatchedPage.open(within ?? (await context()), { allowsRefusals });
    const { page } = watched;
    opened.push(page);
    return { watched, page, keys: new Keyboard(page) };
  }

  /** A page with this path, which has settled. */
  async function open(path: string, within?: BrowserContext): Promise<OpenPage> {
    const made = await newPage(within);
    await made.page.goto(`${app().url}${path}`);
    await made.watched.settled();
    return made;
  }

  /** Like `open`, in a browser context of its own, which has stored nothing yet. */
  const openApart = async (path: string): Promise<OpenPage> => open(path, await otherContext());

  return { account: () => account, context, otherContext, newPage, open, openApart };
}

/**
 * Fills an account before the tests of a suite, and opens an empty page before each test. After the test, the page must settle and have
 * no faults; then it is closed.
 */
export function pageOfEachTest(browser: () => Browser, app: () => TestApp, options: PagesOptions) {
  let current: OpenPage;
  // Registered before the hook that closes the page, because hooks run in this order.
  afterEach(async () => {
    await current.watched.settled();
    expect(await current.watched.faults()).toEqual([]);
  });
  const { account, otherContext, newPage } = signedInPages(browser, app, options);
  beforeEach(async () => {
    current = await newPage();
  }, 120_000);

  /** Loads a path, but does not wait until the page has settled. */
  async function goTo(path: string): Promise<void> {
    await current.page.goto(`${app().url}${path}`);
  }

  return {
    account,
    otherContext,
    get page(): Page {
      return current.page;
    },
    get watched(): WatchedPage {
      return current.watched;
    },
    goTo,
    /** Loads a path, and waits until the page has settled. */
    async open(path: string): Promise<void> {
      await goTo(path);
      await current.watched.settled();
    },
    /** The value of a parameter in the address of the page. */
    asked: (name: string): string | null => new URL(current.page.url()).searchParams.get(name),
    /** Closes the page; the test continues with a page in another browser context. */
    async moveTo(other: BrowserContext): Promise<void> {
      await current.page.close();
      current = await newPage(other);
    },
  };
}

/** Opens pages of the dashboard in a real Chromium and reports their faults. */
import { existsSync, readFileSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';

/** The usual paths of Chromium; `WEIR_TEST_CHROMIUM` sets another one. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const CHROMIUM = process.env['WEIR_TEST_CHROMIUM'] ?? PLACES.find((path) => existsSync(path));

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const CONTRAST = ['color-contrast', 'link-in-text-block'];
type Axe = 'all' | 'contrast' | 'none';

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: ['--no-sandbox', '--headless', '--disable-gpu', '--disable-background-networking'],
  });
}

/** Where an element is on its page, in px. @throws Error if it is not visible */
export async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error(`${String(element)} is not visible`);
  return box;
}

/** Timeout for a page that never settles: long enough for a busy machine. */
const SETTLED_MS = 45_000;

interface Move {
  readonly value: number;
  readonly sources: readonly string[];
}
/** The page's globals that tests read, with those that the injected script adds. */
interface Inside {
  readonly weirTest: { moves(): readonly Move[]; quietFrames(): number; asked(): readonly string[] };
  readonly document: { querySelector(selector: string): object | null };
  readonly refusedByPolicy: string[];
}

/** Runs before the page's own scripts: records layout shifts, violations of the content security policy and pending requests. */
function watchFromInside(): void {
  interface Rect {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }
  interface Shift {
    readonly value: number;
    readonly hadRecentInput: boolean;
    readonly sources: readonly { readonly node: unknown; readonly previousRect: Rect; readonly currentRect: Rect }[];
  }
  interface Watcher {
    observe(what: { type: string; buffered: boolean }): void;
    takeRecords(): readonly Shift[];
  }
  interface Named {
    readonly localName?: string;
    readonly className?: unknown;
    readonly parentElement?: Named | null;
  }
  const self = globalThis as unknown as {
    refusedByPolicy: string[];
    weirTest: unknown;
    fetch: (...asked: unknown[]) => Promise<{ clone(): { arrayBuffer(): Promise<unknown> } }>;
    PerformanceObserver: new (take: (list: { getEntries(): readonly Shift[] }) => void) => Watcher;
    requestAnimationFrame(then: () => void): void;
    addEventListener(type: string, listen: (event: { readonly violatedDirective: string }) => void): void;
  };
  const name = (node: Named | null | undefined): string =>
    node === null || node === undefined
      ? '?'
      : node.localName === undefined
        ? `text of ${name(node.parentElement)}`
        : [node.localName, ...(typeof node.className === 'string' ? node.className.split(/\s+/) : [])]
            .filter(Boolean)
            .join('.');
  const within = (node: Named | null): string => {
    const box = node?.parentElement;
    return box === undefined || box === null ? name(node) : `${name(box)} > ${name(node)}`;
  };
  const place = ({ x, y, width, height }: Rect): string =>
    `${Math.round(x)},${Math.round(y)} ${Math.round(width)}x${Math.round(height)}`;
  const moves: { value: number; sources: string[] }[] = [];
  const keep = (entries: readonly Shift[]): void => {
    for (const { value, hadRecentInput, sources } of entries) {
      if (hadRecentInput) continue;
      moves.push({
        value,
        sources: sources.map(
          ({ node, previousRect, currentRect }) =>
            `${within(node as Named | null)} from ${place(previousRect)} to ${place(currentRect)}`,
        ),
      });
    }
  };
  const observer = new self.PerformanceObserver((list) => keep(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  const refused: string[] = [];
  self.refusedByPolicy = refused;
  self.addEventListener('securitypolicyviolation', ({ violatedDirective }) => refused.push(violatedDirective));
  const asked: string[] = [];
  let quiet = 0;
  const fetch = self.fetch.bind(globalThis);
  self.fetch = (...what) => {
    const [path = ''] = String(what[0]).split('?', 1);
    asked.push(path);
    quiet = 0;
    const answered = fetch(...what);
    // A request is pending until its last byte, because pages are drawn from complete answers.
    void answered
      .then((answer) => answer.clone().arrayBuffer())
      .catch(() => undefined)
      .finally(() => {
        asked.splice(asked.indexOf(path), 1);
        quiet = 0;
      });
    return answered;
  };
  const frame = (): void => {
    quiet = asked.length === 0 ? quiet + 1 : 0;
    self.requestAnimationFrame(frame);
  };
  self.requestAnimationFrame(frame);
  self.weirTest = {
    moves: () => {
      keep(observer.takeRecords());
      return moves;
    },
    quietFrames: () => quiet,
    asked: () => asked,
  };
}

/** A page whose console messages, errors and dialogs are recorded. */
export class WatchedPage {
  private readonly problems: string[] = [];

  private constructor(
    readonly page: Page,
    private allowsRefusals: boolean,
  ) {
    page.on('console', (message) => {
      if (this.allowsRefusals && message.text().startsWith('Failed to load resource:')) return;
      if (['error', 'warning'].includes(message.type())) this.problems.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.problems.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      this.problems.push(`a script ran: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  /** @param allowsRefusals ignores the browser's message about failed loads, because they were planted */
  static async open(
    context: BrowserContext,
    { allowsRefusals = false }: { readonly allowsRefusals?: boolean } = {},
  ): Promise<WatchedPage> {
    const page = await context.newPage();
    await page.addInitScript(watchFromInside);
    return new WatchedPage(page, allowsRefusals);
  }

  /** Leaves the page and discards its recorded problems, so that the next page is checked on its own. */
  async leave({ allowsRefusals = false }: { readonly allowsRefusals?: boolean } = {}): Promise<void> {
    await this.page.goto('about:blank');
    this.problems.length = 0;
    this.allowsRefusals = allowsRefusals;
  }

  /**
   * Faults so far: console messages, violations of the content security policy, findings of axe, horizontal scrolling.
   *
   * @param axe which axe rules are run; another theme of the same page can differ in contrast alone
   */
  async faults({ axe = 'all' }: { readonly axe?: Axe } = {}): Promise<string[]> {
    const refused = await this.page.evaluate(
      () => (globalThis as unknown as { refusedByPolicy: string[] }).refusedByPolicy,
    );
    const isWide = await this.page.evaluate(() => {
      const { document } = globalThis as unknown as {
        document: {
          scrollingElement: { scrollWidth: number; clientWidth: number };
          querySelector(selector: string): { scrollWidth: number; clientWidth: number } | null;
        };
      };
      return [document.scrollingElement, document.querySelector('main')].some(
        (element) => element !== null && element.scrollWidth > element.clientWidth,
      );
    });
    return [
      ...this.problems,
      ...refused.map((directive) => `the policy refused: ${directive}`),
      ...(isWide ? ['it scrolls sideways'] : []),
      ...(axe === 'none' ? [] : await this.findings(axe === 'contrast' ? CONTRAST : RULES)),
    ];
  }

  /**
   * Layout shifts without user input, as Chromium measures them (CLS): none below `limit`, else their sum and the largest shifts in
   * descending order. Elements are named by tag and classes only, never by their content.
   */
  async jumps(limit: number): Promise<string[]> {
    const moves = await this.page.evaluate(() => (globalThis as unknown as Inside).weirTest.moves());
    const total = moves.reduce((sum, { value }) => sum + value, 0);
    if (total < limit) return [];
    const largest = [...moves].sort((left, right) => right.value - left.value).slice(0, 8);
    return [
      `it jumped by ${total.toFixed(4)} in all`,
      ...largest.map(({ value, sources }) => `${value.toFixed(4)}: ${sources.join('; ')}`),
    ];
  }

  /** Waits until no request is pending, nothing is loading, and all answers have been drawn. */
  async settled(): Promise<void> {
    const settled = this.page.waitForFunction(
      () =>
        (globalThis as unknown as Inside).weirTest.quietFrames() >= 4 &&
        (globalThis as unknown as Inside).document.querySelector('main .page') !== null &&
        (globalThis as unknown as Inside).document.querySelector('main .skeleton') === null,
      undefined,
      { polling: 'raf', timeout: SETTLED_MS },
    );
    await settled.catch(async (error: unknown) => {
      const open = await this.page.evaluate(() => (globalThis as unknown as Inside).weirTest.asked());
      const loading = await this.page.locator('main .skeleton').count();
      const dialogs = await this.page.getByRole('dialog').count();
      const words = `asked for ${open.join(', ')}; ${loading} parts load; ${dialogs} dialogs are open`;
      throw new Error(`it does not settle: ${words}`, { cause: error });
    });
  }

  /** Runs axe in an isolated world, so that the page's content security policy need not allow it; returns its findings. */
  private async findings(runOnly: readonly string[]): Promise<string[]> {
    const session = await this.page.context().newCDPSession(this.page);
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
    });
    await session.send('Runtime.evaluate', { expression: AXE, contextId });
    const expression = `axe.run(document, { runOnly: ${JSON.stringify(runOnly)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`;
    const { result } = await session.send('Runtime.evaluate', {
      contextId,
      awaitPromise: true,
      returnByValue: true,
      expression,
    });
    await session.detach();
    return Array.isArray(result.value)
      ? (result.value as string[]).map((found) => `axe: ${found}`)
      : ['axe did not run'];
  }
}

/** A real Chromium that looks at the dashboard, and says what is wrong with what it shows. */
import { existsSync, readFileSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** Where systems put it; `WEIR_TEST_CHROMIUM` names another place. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const CHROMIUM = process.env['WEIR_TEST_CHROMIUM'] ?? PLACES.find((path) => existsSync(path));

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: ['--no-sandbox', '--headless', '--disable-gpu', '--disable-background-networking'],
  });
}

/** A page whose console, errors and refused loads are kept. */
export class WatchedPage {
  private readonly problems: string[] = [];

  private constructor(
    readonly page: Page,
    allowsRefusals: boolean,
  ) {
    page.on('console', (message) => {
      if (allowsRefusals && message.text().startsWith('Failed to load resource:')) return;
      if (['error', 'warning'].includes(message.type())) this.problems.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.problems.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      this.problems.push(`a script ran: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  /** @param allowsRefusals the browser's own line about an answer that is none is no problem: it was planted */
  static async open(
    context: BrowserContext,
    { allowsRefusals = false }: { readonly allowsRefusals?: boolean } = {},
  ): Promise<WatchedPage> {
    const page = await context.newPage();
    await page.addInitScript(() => {
      const kept: string[] = [];
      const self = globalThis as unknown as {
        refusedByPolicy: string[];
        shifts: number;
        addEventListener(type: string, listen: (event: { readonly violatedDirective: string }) => void): void;
      };
      self.refusedByPolicy = kept;
      self.shifts = 0;
      const Observer = (globalThis as unknown as { PerformanceObserver: new (take: (list: Shifts) => void) => Watcher })
        .PerformanceObserver;
      interface Shifts {
        getEntries(): readonly { readonly value: number; readonly hadRecentInput: boolean }[];
      }
      interface Watcher {
        observe(what: { type: string; buffered: boolean }): void;
      }
      new Observer((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) self.shifts += value;
      }).observe({ type: 'layout-shift', buffered: true });
      self.addEventListener('securitypolicyviolation', ({ violatedDirective }) => kept.push(violatedDirective));
    });
    return new WatchedPage(page, allowsRefusals);
  }

  /** What went wrong so far: messages, refusals of the policy, findings of axe, sideways scrolling. */
  async faults({ withAxe = true }: { readonly withAxe?: boolean } = {}): Promise<string[]> {
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
      ...(withAxe ? await this.findings() : []),
    ];
  }

  /** How far its parts have jumped without anybody having done anything, as Chromium counts it (CLS). */
  shift(): Promise<number> {
    return this.page.evaluate(() => (globalThis as unknown as { shifts: number }).shifts);
  }

  /** axe runs in a world of its own, so that the page's policy need not let it in. */
  private async findings(): Promise<string[]> {
    const session = await this.page.context().newCDPSession(this.page);
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
    });
    await session.send('Runtime.evaluate', { expression: AXE, contextId });
    const expression = `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
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

/** Lets answers reach a page one at a time, each drawn before the next, which shows faults that a fast machine hides. */
import type { Page, Request, Route } from 'playwright-core';

/** In request order, in reverse order, with a slow processor and network, or without control. */
export const PACES = ['one by one', 'last asked first', 'slowly', 'as they come'] as const;
export type Pace = (typeof PACES)[number];

const PACED = /^\/v1\/|\.woff2$/;
const CPU_SLOWED = 6;
const SLOW_LINE = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 };

/** Holds a page's requests to the service, fonts included, and lets one through whenever the page is idle. */
export class Answers {
  private readonly held: { readonly route: Route; readonly done: Promise<void> }[] = [];
  private readonly assets = new Set<Request>();
  private isOver = false;
  private going: Promise<void> = Promise.resolve();
  private wake: () => void = () => undefined;

  private constructor(
    private readonly page: Page,
    private readonly takesLast: boolean,
  ) {}

  static async pace(page: Page, pace: Pace): Promise<Answers> {
    const answers = new Answers(page, pace === 'last asked first');
    if (pace === 'slowly') {
      const session = await page.context().newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWED });
      await session.send('Network.emulateNetworkConditions', SLOW_LINE);
    }
    if (pace === 'one by one' || pace === 'last asked first') await answers.hold();
    return answers;
  }

  /** From now on all requests pass without being held. */
  async letGo(): Promise<void> {
    this.isOver = true;
    this.wake();
    await Promise.all(this.held.splice(0).map(({ route }) => route.fallback().catch(() => undefined)));
    await this.going;
  }

  private async hold(): Promise<void> {
    const ends = new Map<Request, () => void>();
    const end = (request: Request): void => {
      this.assets.delete(request);
      ends.get(request)?.();
    };
    this.page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/assets/') && !PACED.test(pathname)) this.assets.add(request);
    });
    this.page.on('requestfinished', end);
    this.page.on('requestfailed', end);
    await this.page.route(
      (url) => PACED.test(url.pathname),
      (route) => {
        if (this.isOver) return route.fallback();
        const done = new Promise<void>((resolve) => ends.set(route.request(), resolve));
        this.held.push({ route, done });
        this.wake();
        return undefined;
      },
    );
    this.going = this.run();
  }

  private async run(): Promise<void> {
    let rounds = 0;
    while (!this.isOver) {
      const before = this.held.length;
      if (before === 0) {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
        continue;
      }
      await this.drawn();
      // The browser may never report the end of assets from its cache, so the wait for them is limited.
      const isStill = this.held.length === before && (this.assets.size === 0 || rounds >= MAX_ROUNDS);
      rounds = this.held.length === before ? rounds + 1 : 0;
      if (!isStill) continue;
      rounds = 0;
      const { route, done } = (this.takesLast ? this.held.pop() : this.held.shift())!;
      // A request that a fault holds on purpose is awaited elsewhere.
      void route.fallback().catch(() => undefined);
      await Promise.race([done, this.drawn(FRAMES_FOR_ONE)]);
    }
  }

  /** Resolves after some frames; at once if another page has just replaced this one. */
  private async drawn(frames = 2): Promise<void> {
    await this.page
      .evaluate(
        (count) =>
          new Promise<void>((resolve) => {
            const { requestAnimationFrame: next } = globalThis as unknown as {
              requestAnimationFrame(then: () => void): void;
            };
            const step = (left: number): void => (left === 0 ? resolve() : next(() => step(left - 1)));
            step(count);
          }),
        frames,
      )
      .catch(() => undefined);
  }
}

/** The maximum number of frames for which a released answer delays the others. */
const FRAMES_FOR_ONE = 30;
const MAX_ROUNDS = 30;

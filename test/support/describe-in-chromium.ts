import type { Browser } from 'playwright-core';
import { CHROMIUM, launchChromium } from './dashboard-browser.js';

/** Declares a suite that needs a browser; without one it is skipped with a warning. @param suite gets the running browser */
export function describeInChromium(title: string, suite: (browser: () => Browser) => void): void {
  if (CHROMIUM === undefined) console.warn(`SKIPPED, no Chromium found (WEIR_TEST_CHROMIUM names one): ${title}`);
  (CHROMIUM === undefined ? describe.skip : describe)(title, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium();
    }, 120_000);
    suite(() => browser);
    afterAll(() => browser.close());
  });
}

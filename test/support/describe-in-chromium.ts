import type { Browser } from 'playwright-core';
import { CHROMIUM, launchChromium } from './dashboard-browser.js';

/** A suite that needs a browser; where there is none, it says that it is skipped. @param suite gets it, once the tests run */
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

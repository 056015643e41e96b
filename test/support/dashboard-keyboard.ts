/** Operates a page without a mouse: moves to named elements with Tab, presses keys, and types. */
import type { Page } from 'playwright-core';

const MAX_TABS = 150;
const MAX_TRIES = 20;

interface PageGlobals {
  readonly document: {
    readonly activeElement: {
      readonly innerText?: string;
      readonly labels?: ArrayLike<{ readonly innerText: string }> | null;
      getAttribute(name: string): string | null;
    } | null;
  };
}

export class Keyboard {
  constructor(private readonly page: Page) {}

  /** Presses Tab until the focused element has this name, like a person who cannot see the page. */
  async tabTo(name: RegExp): Promise<void> {
    for (let steps = 0; steps < MAX_TABS; steps++) {
      await this.page.keyboard.press('Tab');
      const focused = await this.page.evaluate(() => {
        const at = (globalThis as unknown as PageGlobals).document.activeElement;
        return [at?.getAttribute('aria-label'), at?.labels?.[0]?.innerText, at?.innerText]
          .filter(Boolean)
          .join(' ')
          .trim();
      });
      if (name.test(focused)) return;
    }
    throw new Error(`no Tab leads to ${String(name)}`);
  }

  async press(name: RegExp): Promise<void> {
    await this.tabTo(name);
    await this.page.keyboard.press('Enter');
  }

  async type(name: RegExp, text: string): Promise<void> {
    await this.tabTo(name);
    await this.page.keyboard.type(text);
  }

  /** Presses "g", then the letter of a page, and retries: both keys must come within a second, which a busy machine may miss. */
  async goTo(letter: string, heading: string): Promise<void> {
    const shown = this.page.getByRole('heading', { level: 1, name: heading, exact: true });
    for (let tries = 0; tries < MAX_TRIES && !(await shown.isVisible()); tries++) {
      await this.page.keyboard.press('g');
      await this.page.keyboard.press(letter);
      await shown.waitFor({ timeout: 3_000 }).catch(() => undefined);
    }
    await shown.waitFor();
  }
}

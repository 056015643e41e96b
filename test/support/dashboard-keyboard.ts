/** A person without a mouse: goes on by Tab to what has a name, presses keys, and types. */
import type { Page } from 'playwright-core';

const MAX_TABS = 150;
const MAX_TRIES = 20;

interface Told {
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

  /** Tabs on to what has this name, as somebody would who cannot see where it is. */
  async tabTo(name: RegExp): Promise<void> {
    for (let steps = 0; steps < MAX_TABS; steps++) {
      await this.page.keyboard.press('Tab');
      const told = await this.page.evaluate(() => {
        const at = (globalThis as unknown as Told).document.activeElement;
        return [at?.getAttribute('aria-label'), at?.labels?.[0]?.innerText, at?.innerText]
          .filter(Boolean)
          .join(' ')
          .trim();
      });
      if (name.test(told)) return;
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

  /** "g", then the letter of a page. They count within a second of one another, which a busy machine may not keep. */
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

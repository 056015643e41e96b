/** Visits a page of the dashboard during a fault and after its end. */
import type { WatchedPage } from './dashboard-browser.js';
import type { Obstacle, Trouble } from './dashboard-states.js';

/** Maximum layout shift of a page (CLS). */
const MAX_SHIFT = 0.02;
/** Timeout for a busy machine; without faults nothing waits that long. */
const WAIT_MS = 45_000;

interface Visit {
  readonly url: string;
  readonly trouble: Trouble;
  readonly obstacle: Obstacle | undefined;
  /** Returns the faults of the page in its current state. */
  readonly look: () => Promise<readonly string[]>;
}

/** @returns the faults found: in the message about the trouble, in the page during the trouble, and in the page after it */
export async function visit(watched: WatchedPage, { url, trouble, obstacle, look }: Visit): Promise<string[]> {
  const { page } = watched;
  const found: string[] = [];
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).first().waitFor({ timeout: WAIT_MS });
  if (obstacle === undefined) {
    await watched.settled();
    found.push(...(await look()));
  } else if (await hasStruck(watched, obstacle)) {
    found.push(...(await whatIsSaid(watched, trouble)), ...(await look()));
  }
  obstacle?.lift();
  // Layout shifts after a person's action are intended, so they do not count.
  const jumpsBefore = trouble.helps === undefined ? undefined : await watched.jumps(MAX_SHIFT);
  if (obstacle !== undefined && obstacle.struck > 0) await trouble.helps?.(page);
  await page.getByText('Could not load').first().waitFor({ state: 'detached', timeout: WAIT_MS });
  await watched.settled();
  if (page.url() !== url) found.push(`it went to ${page.url()}`);
  // axe already checks the same page in visits without an obstacle.
  found.push(...(await watched.faults({ axe: 'none' })));
  found.push(...(jumpsBefore ?? (await watched.jumps(MAX_SHIFT))));
  return [...new Set(found)];
}

/** Whether the page sent a request that the fault could affect. */
async function hasStruck(watched: WatchedPage, obstacle: Obstacle): Promise<boolean> {
  // A page that waits for a password or for a held answer never settles.
  await Promise.race([obstacle.first, watched.settled()]);
  return obstacle.struck > 0;
}

async function whatIsSaid({ page }: WatchedPage, { said }: Trouble): Promise<string[]> {
  if (said === undefined)
    return (await page.getByText('Could not load').count()) === 0
      ? []
      : ['it says that something failed while it loads'];
  await page.getByText(said).first().waitFor({ timeout: WAIT_MS });
  return said.test(await page.locator('body').innerText()) ? [] : [`nothing can be seen of ${String(said)}`];
}

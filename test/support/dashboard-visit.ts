/** A visit to a page of the dashboard while something stands in its way, until it has passed. */
import type { WatchedPage } from './dashboard-browser.js';
import type { Obstacle, Trouble } from './dashboard-states.js';

/** More than this much may nothing jump (CLS). */
const MAX_SHIFT = 0.02;
/** For what a busy machine is late with; where all is well nothing waits that long. */
const WAIT_MS = 45_000;

interface Visit {
  readonly url: string;
  readonly trouble: Trouble;
  readonly obstacle: Obstacle | undefined;
  /** What is wrong with what can be seen now. */
  readonly look: () => Promise<readonly string[]>;
}

/** @returns what was wrong: with what is said of the trouble, with the page while it lasts, and once it has passed */
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
  // What moves when a person has pressed something does so at their wish.
  const jumpsBefore = trouble.helps === undefined ? undefined : await watched.jumps(MAX_SHIFT);
  if (obstacle !== undefined && obstacle.struck > 0) await trouble.helps?.(page);
  await page.getByText('Could not load').first().waitFor({ state: 'detached', timeout: WAIT_MS });
  await watched.settled();
  if (page.url() !== url) found.push(`it went to ${page.url()}`);
  // What axe finds in it is found without an obstacle, too.
  found.push(...(await watched.faults({ axe: 'none' })));
  found.push(...(jumpsBefore ?? (await watched.jumps(MAX_SHIFT))));
  return [...new Set(found)];
}

/** Whether the page asked for anything that the fault could strike. */
async function hasStruck(watched: WatchedPage, obstacle: Obstacle): Promise<boolean> {
  // What waits for a password, or for an answer that is held, never settles.
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

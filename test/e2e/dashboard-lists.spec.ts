import type { Locator, Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { signedInPages } from '../support/dashboard-pages.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { identityClient } from '../support/identity-client.js';

describeInChromium('The lists of the dashboard, without a mouse', (browser) => {
  const app = appWithProvider();
  const quiet = signedInPages(browser, app, { data: 'one' });
  const busy = signedInPages(browser, app, { data: 'many' });

  it('create, change, pause, resume and delete an export schedule', async () => {
    const { watched, page, keys } = await quiet.openApart('/exports');
    await keys.press(/^New schedule$/);
    await keys.type(/^Name$/, 'Refused calls');
    await keys.press(/^Week$/);
    await keys.type(/^Value; separate several with commas$/, 'blocked');
    // The typed filter is not added yet: a schedule without it would export all events.
    await page.getByRole('dialog').getByRole('button', { name: 'Create schedule' }).click();
    const value = page.getByRole('textbox', { name: 'Value; separate several with commas' });
    await value.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('dialog').getByRole('list', { name: 'Filters' }).innerText()).toContain(
      'Outcome blocked',
    );
    await keys.press(/^CSV$/);
    await keys.press(/^Create schedule$/);
    const row = page.getByRole('row', { name: /Refused calls/ });
    await row.getByText('Every week on Monday, 02:00 UTC').waitFor();
    await keys.press(/^Pause Refused calls/);
    await row.getByText('Paused', { exact: true }).waitFor();
    await keys.press(/^Resume Refused calls/);
    await row.getByText('Paused', { exact: true }).waitFor({ state: 'detached' });
    await keys.press(/^Refused calls$/);
    await page.getByText('No run yet').waitFor();
    expect(await page.getByRole('main').innerText()).toMatch(/environment production, outcome blocked/);
    await keys.press(/^Change$/);
    await keys.press(/^Remove Environment$/);
    await keys.press(/^Month$/);
    await keys.press(/^Save$/);
    await page.getByText('Every month on day 1, 02:00 UTC').waitFor();
    expect(await watched.faults()).toEqual([]);
    await keys.press(/^Delete$/);
    await keys.press(/^Delete schedule$/);
    await page.getByRole('heading', { level: 1, name: 'Exports' }).waitFor();
    await row.waitFor({ state: 'detached' });
    expect(await watched.faults()).toEqual([]);
  }, 120_000);

  it('ask for confirmation before an export is removed, and name the data that is lost', async () => {
    const { watched, page, keys } = await quiet.openApart('/exports');
    await keys.press(/^Export in the background$/);
    const jobs = page.getByRole('list', { name: 'Exports' }).getByRole('listitem');
    await jobs.getByText('Done', { exact: true }).waitFor();
    await keys.press(/^Remove the export of /);
    const dialog = page.getByRole('dialog', { name: 'Remove this export' });
    expect(await dialog.innerText()).toMatch(/The file of \d+ rows? is deleted\. The events themselves are kept\./);
    expect(await watched.faults()).toEqual([]);
    await keys.press(/^Keep the export$/);
    await dialog.waitFor({ state: 'detached' });
    expect(await jobs.count()).toBe(1);
    await keys.press(/^Remove the export of /);
    await keys.press(/^Remove the export$/);
    await jobs.waitFor({ state: 'detached' });
    expect(await watched.faults()).toEqual([]);
  }, 120_000);

  it('export nothing under a filter of a link that this version does not know, until it is removed', async () => {
    const { watched, page } = await quiet.openApart('/exports?outcome=blocked&colour=red');
    await page.getByText('does not support: colour').waitFor();
    const buttons = ['Download now', 'Export to a bucket', 'Export in the background', 'New schedule'];
    for (const name of buttons) {
      expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true);
    }
    expect(await watched.faults()).toEqual([]);
    await page.locator('.notice').getByRole('button', { name: 'Remove' }).press('Enter');
    const download = page.getByRole('link', { name: 'Download now' });
    await download.waitFor();
    expect(await download.getAttribute('href')).toContain('outcome=blocked');
    for (const name of buttons.slice(1)) {
      expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(false);
    }
    expect(await watched.faults()).toEqual([]);
  }, 120_000);

  it('resume a failed export from its next row', async () => {
    const { watched, page, keys } = await quiet.newPage(await quiet.otherContext());
    const failed = {
      ...{ id: '01a20a80-f929-7471-8061-2668a074baec', state: 'failed', format: 'csv', filters: {}, columns: null },
      ...{ bom: false, destination: { kind: 'download' }, environment: null, sha256: null, cursor: null },
      ...{ rows: 1_200, rows_expected: 5_000, bytes: 64_000, has_file: false, resumable: true },
      error: 'The service could not write the file',
      ...{ by: { kind: 'token', id: null, name: null }, created_at: new Date().toISOString(), schedule: null },
      ...{ ended_at: new Date().toISOString(), expires_at: new Date(Date.now() + 86_400_000).toISOString() },
    };
    const resumed = { ...failed, state: 'paused', error: null, ended_at: null, expires_at: null, resumable: false };
    const changes: unknown[] = [];
    await page.route('**/v1/exports', (route) =>
      route.fulfill({ json: { data: [changes.length === 0 ? failed : resumed] } }),
    );
    await page.route(`**/v1/exports/${failed.id}`, (route) => {
      changes.push(route.request().postDataJSON());
      return route.fulfill({ json: resumed });
    });
    await page.goto(`${app().url}/exports`);
    await page.getByText('Can be resumed until').waitFor();
    expect(await watched.faults()).toEqual([]);
    await keys.press(/^Resume from row 1,201$/);
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(changes).toEqual([{ paused: false }]);
    expect(await watched.faults()).toEqual([]);
  }, 120_000);

  it('create a management token, show it once under its name, and delete it by its name', async () => {
    const { watched, page, keys } = await quiet.openApart('/settings/tokens');
    await keys.press(/^Create a token$/);
    await keys.type(/^Name$/, 'nightly job');
    await keys.press(/^Create token$/);
    expect(await page.getByLabel('The new token').inputValue()).toMatch(/^\w{20,}/);
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().focus();
    await page.keyboard.press('Enter');
    await page.getByText('You have not copied the token.').waitFor();
    await page.keyboard.press('Enter');
    await keys.press(/^Delete nightly job/);
    await keys.type(/^Type nightly job$/, 'nightly job');
    await page.keyboard.press('Enter');
    await page.getByText('There is no management token.').waitFor();
    expect(await watched.faults()).toEqual([]);
  }, 120_000);

  it('preview rows beside the list, select several and mark them together', async () => {
    const { watched, page, keys } = await busy.openApart('/events?env=all&outcome=blocked,redacted,flagged');
    const rows = page.locator('.grid-row:not(.head)');
    await rows.first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    const glance = page.getByRole('complementary', { name: 'Selected row' });
    const rule = (await rows.first().locator('.mono').first().innerText()).trim();
    expect(await glance.innerText()).toContain(rule);
    await page.keyboard.press('x');
    expect(await page.getByRole('toolbar', { name: 'Selected rows' }).innerText()).toContain('1 selected');
    expect(await rows.first().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('j');
    const [picked, atHand, other] = await Promise.all([0, 1, 2].map((nth) => groundOf(rows.nth(nth))));
    expect(new Set([picked, atHand, other]).size).toBe(3);
    await page.keyboard.press('k');
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await page.keyboard.press('Escape');
    await glance.waitFor({ state: 'detached' });
    await keys.press(/^Mark wrong$/);
    await page.getByText('1 marked wrong').waitFor();
    await keys.press(/^Clear selection$/);
    await page.getByRole('toolbar', { name: 'Selected rows' }).waitFor({ state: 'detached' });
    await rows.first().click();
    await page.getByRole('status').getByText('Marked wrong').waitFor();
    expect(await watched.faults()).toEqual([]);
  }, 120_000);

  it('mark rows without losing the notes of colleagues, and undo that, also if the rows have left the list', async () => {
    const client = identityClient(app);
    const { cookie } = busy.account();
    const unmarked = await client.get('/v1/events?view=calls&outcome=blocked&mark=none', cookie);
    const { id, violations } = unmarked.json.data[0];
    const headers = { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    const path = `/v1/events/${id}/marks/${violations[0].rule}`;
    await client.send('PUT', path, headers, JSON.stringify({ mark: 'right', note: 'seen with Ada' }));
    const { watched, page, keys } = await busy.openApart('/events?outcome=blocked&mark=right');
    const rows = page.locator('.grid-row:not(.head)');
    await rows.first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await keys.press(/^Mark right$/);
    await page.getByText('0 marked right, 1 already marked').waitFor();
    await keys.press(/^Mark wrong$/);
    await page.getByText('1 marked wrong').waitFor();
    await rows.first().waitFor({ state: 'detached' });
    const stored = async (): Promise<unknown> => (await client.get(`/v1/marks?event=${id}`, cookie)).json;
    expect(await stored()).toMatchObject({ data: [{ mark: 'wrong', note: 'seen with Ada' }] });
    await keys.press(/^Undo$/);
    await page.getByText('1 mark undone').waitFor();
    await rows.first().waitFor();
    expect(await stored()).toMatchObject({ data: [{ mark: 'right', note: 'seen with Ada' }] });
  }, 120_000);

  it('keep the exact beginning of a range if only its end is edited, also where clocks are set back', async () => {
    // The second 02:30 of that night in Berlin.
    const from = '2026-10-25T01:30:12.345Z';
    const { page } = await quiet.openApart(`/events?from=${from}&to=2026-10-25T03:00:00Z`);
    await page.getByRole('button', { name: /, time$/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Time zone of displayed times').selectOption('Europe/Berlin');
    await dialog.getByLabel('To (empty: now)').fill('2026-10-25T05:00');
    await dialog.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('to') === '2026-10-25T04:00:00.000Z');
    expect(new URL(page.url()).searchParams.get('from')).toBe(from);
  }, 120_000);

  it('label a chart of a week with its days', async () => {
    const { page } = await quiet.openApart('/?range=7d');
    const labels = page.locator('.axis > span');
    await labels.nth(5).waitFor();
    const dayNames = Array.from({ length: 8 }, (_, ago) =>
      new Date(Date.now() - ago * 86_400_000).toLocaleDateString('en-US', { day: 'numeric', month: 'short' }),
    );
    for (const label of await labels.allInnerTexts()) expect(dayNames).toContain(label);
  }, 120_000);

  it('remember in the browser which columns of the list of events are selected', async () => {
    const { watched, page, keys } = await quiet.openApart('/events?env=all');
    await page.getByRole('columnheader').first().waitFor();
    const before = await columnsOf(page);
    await keys.press(/^Columns$/);
    for (const name of ['Session', 'Cost']) {
      await page.getByRole('dialog').getByRole('checkbox', { name, exact: true }).focus();
      await page.keyboard.press('Space');
    }
    await keys.press(/^Move Session down$/);
    await page.keyboard.press('Enter');
    await keys.tabTo(/^Move Session up$/);
    for (let up = 0; up < before.length; up++) await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    const chosen = ['Session', ...before.filter((name) => name !== 'Cost')];
    expect(await columnsOf(page)).toEqual(chosen);
    await page.reload();
    await page.getByRole('gridcell', { name: 's-0' }).waitFor();
    expect(await columnsOf(page)).toEqual(chosen);
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await keys.press(/^Columns$/);
    // Like a person, who presses Tab when the dialog is announced.
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).and(page.locator(':focus')).waitFor();
    await keys.press(/^Reset columns$/);
    expect(await columnsOf(page)).toEqual(before);
  }, 120_000);
});

function groundOf(row: Locator): Promise<string> {
  return row.evaluate(
    (element) =>
      (globalThis as unknown as { getComputedStyle(of: unknown): { backgroundColor: string } }).getComputedStyle(
        element,
      ).backgroundColor,
  );
}

function columnsOf(page: Page): Promise<string[]> {
  return page.getByRole('columnheader').allInnerTexts();
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { boxOf, WatchedPage } from '../support/dashboard-browser.js';
import { signedInPages } from '../support/dashboard-pages.js';
import { newKey, reporting } from '../support/dashboard-walk.js';
import { policyFile, testBundle } from '../support/deployments.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { identityClient } from '../support/identity-client.js';
import { runWeir } from '../support/run-weir.js';

describeInChromium('The tools of the dashboard beside a list and a call', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  const pages = signedInPages(browser, app, { data: 'many', allowsRefusals: true });
  const { account, newPage, open } = pages;
  beforeAll(async () => {
    const context = await pages.context();
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app().url });
  }, 120_000);

  const copied = (page: Page): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()');

  /** The variables with which the command reads events, with a new token of this name. */
  const readingEnv = async (name: string): Promise<Record<string, string>> => {
    const { json } = await client.post('/v1/tokens', { name, scopes: ['events:read'] }, account().cookie);
    return { WEIR_URL: app().url, WEIR_TOKEN: json.secret };
  };

  it('edit a filter in place, and report invalid values', async () => {
    const { watched, page, keys } = await open('/events?outcome=blocked');
    await keys.press(/^Change Outcome: blocked/);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('redacted, forbidden');
    await page.keyboard.press('Enter');
    await page.getByText('“forbidden” is not one of').waitFor();
    expect(page.url()).toContain('outcome=blocked');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('redacted, blocked');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/events?*outcome=redacted,blocked*');
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
  }, 120_000);

  it('show metadata of calls in a column of adjustable width', async () => {
    const { watched, page, keys } = await open('/events?env=all');
    await keys.press(/^Columns$/);
    await keys.type(/^Metadata key/, 'team');
    await page.keyboard.press('Enter');
    await keys.type(/^Width of team in pixels/, '210');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    const head = page.getByRole('columnheader', { name: 'team' });
    await page
      .getByRole('gridcell', { name: /^team \d$/ })
      .first()
      .waitFor();
    expect(Math.round((await boxOf(head)).width)).toBe(210);
    const outcome = page.getByRole('columnheader', { name: 'Outcome' });
    const { width } = await boxOf(outcome);
    await drawn(page, outcome.locator('.edge'), 60);
    expect(Math.round((await boxOf(outcome)).width - width)).toBe(60);
    await page.reload();
    await head.waitFor();
    expect(Math.round((await boxOf(outcome)).width - width)).toBe(60);
    expect(Math.round((await boxOf(head)).width)).toBe(210);
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
  }, 120_000);

  it('pin a saved view to the navigation, and unpin it', async () => {
    const { watched, page, keys } = await open('/events?outcome=blocked&model=gpt-4o');
    await keys.press(/^Save view$/);
    await keys.type(/^Name$/, 'Refused by the large one');
    await page.keyboard.press('Enter');
    await keys.press(/^Pin$/);
    await page.goto(`${app().url}/budgets`);
    const pin = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Refused by the large one' });
    await pin.click();
    await page.waitForURL(/\/events\?(?=.*outcome=blocked)(?=.*model=gpt-4o)/);
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await keys.press(/^Pinned$/);
    await pin.waitFor({ state: 'detached' });
  }, 120_000);

  it('export the selected calls, each with all of its events', async () => {
    const { page, keys } = await open('/events?env=all');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await keys.tabTo(/^Export JSON Lines$/);
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n');
    const begun = lines.map((line) => JSON.parse(line) as { type: string }).filter(({ type }) => type === 'ai.request');
    expect(begun.length).toBe(2);
  }, 120_000);

  it('report that too many live lists are open on the server, and start the list when there is capacity', async () => {
    const { page } = await open('/events?env=all');
    let refusals = 2;
    await page.route('**/v1/events/tail*', (route) =>
      refusals-- > 0
        ? route.fulfill({
            status: 429,
            headers: { 'retry-after': '1', 'content-type': 'application/json' },
            body: JSON.stringify({ error: { type: 'rate_limit_exceeded', message: 'Too many' } }),
          })
        : route.continue(),
    );
    await page.keyboard.press('t');
    await page.getByText('Too many live lists are open on this server.').waitFor();
    await page.getByText('Too many live lists are open on this server.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Live', exact: true, pressed: true }).waitFor();
  }, 120_000);

  it('back off when the live stream is refused although there is capacity', async () => {
    const { page } = await open('/events?env=all');
    let streams = 0;
    let isRefused = true;
    await page.route('**/v1/events/tail*', (route) => {
      if (!route.request().headers()['accept']?.includes('text/event-stream')) return route.continue();
      streams++;
      return isRefused ? route.fulfill({ status: 503 }) : route.continue();
    });
    await page.keyboard.press('t');
    await page.getByText('New events cannot be shown live now. Next attempt in').waitFor();
    // One request by the user, and one because there was capacity; the next request waits for the displayed delay.
    expect(streams).toBe(2);
    isRefused = false;
    await page.getByText('New events cannot be shown live now.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Live', exact: true, pressed: true }).waitFor();
  }, 120_000);

  it('keep figures that could not be updated, and do not extend the session while nobody uses the page', async () => {
    const { watched, page } = await newPage();
    await page.clock.install();
    await page.goto(app().url);
    await watched.settled();
    const calls = page.getByRole('main').getByRole('link', { name: /^Calls\s*\d/ });
    const figures = await calls.innerText();
    await page.route('**/v1/stats*', (route) => route.fulfill({ status: 503 }));
    const updates = ['/v1/stats*', '/v1/me', '/v1/policies/production'].map((path) => page.waitForRequest(`**${path}`));
    await page.clock.fastForward(61_000);
    for (const update of await Promise.all(updates)) expect(update.headers()['x-weir-background']).toBe('1');
    await page.getByText('not updated').first().waitFor();
    expect(await calls.innerText()).toBe(figures);
    expect(await page.getByText('Could not load').count()).toBe(0);
    expect(await watched.faults()).toEqual([]);
  }, 120_000);

  it('report that the answer of a call could not be loaded, instead of a decision without it', async () => {
    const { watched, page } = await newPage();
    let isRefused = true;
    await page.route(
      ({ pathname, searchParams }) => pathname === '/v1/events' && searchParams.has('call'),
      (route) => (isRefused ? route.fulfill({ status: 503 }) : route.continue()),
    );
    await page.goto(`${app().url}/events/${account().event}`);
    await page.getByText('Could not load the answer of this call.').waitFor();
    expect(await page.getByText('No rule fired.').count()).toBe(0);
    isRefused = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No rule fired.').waitFor();
    expect(await watched.faults()).toEqual([]);
  }, 60_000);

  it('search the raw record, and show which detector determined a fact', async () => {
    const { watched, page, keys } = await open(`/events/${account().event}`);
    await page.keyboard.press('4');
    await page.getByRole('textbox', { name: 'Record' }).waitFor();
    await keys.type(/^Search the record$/, 'GPT-4O');
    await page.getByText(/^1 of \d+$/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/^(2 of \d+|1 of 1)$/).waitFor();
    expect((await page.locator('.cm-atPlace').innerText()).toLowerCase()).toBe('gpt-4o');
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await page.getByRole('tab', { name: 'Facts' }).click();
    expect(
      await page
        .getByRole('row', { name: /^words\./ })
        .first()
        .innerText(),
    ).toMatch(/words \d/);
    const side = page.getByRole('complementary', { name: 'Details' });
    expect(await side.innerText()).toMatch(/Turn\s+\d+ of \d+/);
    expect(await side.innerText()).toMatch(/Trace\s/);
  }, 120_000);

  it('draft an exception after a false positive, and the policy compiles with the draft', async () => {
    const { watched, page, keys } = await open('/events?env=all&outcome=blocked');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Wrong' }).waitFor();
    await page.keyboard.press('n');
    await keys.press(/^Draft an exception$/);
    const untouched = await page.getByLabel('The exception').innerText();
    await keys.type(/^Reason why the rule/, 'Its tests "send": # such numbers');
    await keys.type(/^Ticket$/, 'SEC-77');
    const yaml = await page.getByLabel('The exception').innerText();
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    const file = policyFile('With a draft');
    const plain = testBundle('With a draft');
    for (const text of [untouched, yaml]) {
      const drafted = testBundle('With a draft', { files: [{ ...file, text: `${file.text}\n${text}` }] });
      expect(drafted.policy.digest).not.toBe(plain.policy.digest);
    }
  }, 120_000);

  it('browse a session of more calls than one page holds, and show each call beside the list', async () => {
    const secret = await newKey(client, account(), 'long session');
    const say = async (events: readonly object[]): Promise<void> => {
      const { status, text } = await client.send(
        'POST',
        '/v1/events:batch',
        { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        JSON.stringify(events),
      );
      if (status >= 300) throw new Error(`the calls were answered ${status}: ${text}`);
    };
    const about = { metadata: { session_id: 'a long one' } };
    const questions = Array.from({ length: 220 }, (_, n) => ({
      ...{ ...about, type: 'ai.request', request_id: `long-${n}`, model: 'gpt-4o' },
      payload: { messages: [{ role: 'user', content: `question number ${n}` }] },
    }));
    // The events of one batch are processed concurrently: only successive batches have a fixed order.
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [2, 60],
      [60, 120],
      [120, 180],
      [180, 219],
      [219, 220],
    ] as const)
      await say(questions.slice(from, to));
    await say([
      { ...about, type: 'agent.tool_call', request_id: 'long-tool', payload: { tool: 'search', arguments: {} } },
    ]);
    const { watched, page } = await open(`/sessions/a%20long%20one?app=${account().app}`);
    const beside = page.getByRole('region', { name: 'The selected call' });
    await beside.getByText('question number 0', { exact: true }).waitFor();
    await page.keyboard.press('j');
    await beside.getByText('question number 1', { exact: true }).waitFor();
    await page.keyboard.press('k');
    await beside.getByText('question number 0', { exact: true }).waitFor();
    expect(await page.getByRole('main').innerText()).toContain('221 calls, 1 tool call ·');
    expect(await watched.faults()).toEqual([]);
    const tree = page.getByRole('tree');
    const tool = tree.getByRole('treeitem', { name: /search\(…\)/ });
    await scrolledTo(tree, tool);
    const last = tree.getByRole('treeitem', { expanded: true });
    await last.click();
    await page.keyboard.press('ArrowLeft');
    await tool.waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowRight');
    await tool.click();
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
  }, 180_000);

  it('show times in the selected time zone', async () => {
    const { watched, page } = await open(`/events/${account().event}`);
    await page.getByRole('button', { name: /, time$/ }).click();
    await page.getByLabel('Time zone of displayed times').selectOption('Asia/Kabul');
    expect(await watched.faults()).toEqual([]);
    await page.keyboard.press('Escape');
    const time = page.getByRole('complementary', { name: 'Details' }).locator('time').first();
    expect(await time.innerText()).toMatch(/UTC\+4:30$/);
    const at = await time.getAttribute('datetime');
    const there = new Date(Date.parse(at ?? '') + 270 * 60_000).toISOString().replace('T', ' ').slice(0, 23);
    expect(await time.innerText()).toContain(there);
    await page.reload();
    expect(await time.innerText()).toMatch(/UTC\+4:30$/);
  }, 120_000);

  it('copy a page as the command with the same result', async () => {
    const { page } = await open('/events?range=7d&outcome=blocked,redacted&not.model=gpt-4o&metadata.team=team%200');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('copy as weir');
    await page.keyboard.press('Enter');
    const command = await copied(page);
    const argv = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);
    expect(argv.slice(0, 3)).toEqual(['weir', 'events', 'list']);
    const env = await readingEnv('terminal');
    const { exit, stdout, stderr } = await runWeir([...argv.slice(1), '--json'], { env, nowMs: Date.now });
    expect([exit, stderr]).toEqual([0, expect.any(String)]);
    const { events } = JSON.parse(stdout) as { events: readonly object[] };
    expect(events.length).toBe(Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1);
  }, 120_000);

  it('quote names from callers, so that a shell and the command read them literally', async () => {
    const team = `O'Brien, model=x "quoted" $HOME \`id\` \\ end`;
    const report = reporting(client, await newKey(client, account(), 'odd names'));
    const event = { type: 'ai.request', model: 'gpt-4o', payload: { messages: [{ role: 'user', content: 'hello' }] } };
    for (const metadata of [{ team }, { team: "O'Brien" }]) {
      expect((await report({ ...event, request_id: crypto.randomUUID(), metadata })).status).toBe(200);
    }
    const { page } = await open(`/events?range=7d&metadata.team=${encodeURIComponent(team)}`);
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('2');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('copy as weir');
    await page.keyboard.press('Enter');
    const shell = execFileSync('sh', ['-c', `printf '%s\\0' ${await copied(page)}`], { encoding: 'utf8' });
    const argv = shell.split('\0').slice(0, -1);
    const env = await readingEnv('shell');
    const { exit, stdout } = await runWeir([...argv.slice(1), '--json', '--show-content'], { env, nowMs: Date.now });
    const { events } = JSON.parse(stdout) as { events: readonly { metadata: object }[] };
    expect([exit, events.map(({ metadata }) => metadata)]).toEqual([0, [{ team }]]);
  }, 120_000);

  it('find rules by their names', async () => {
    const { page } = await open('/events');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('words.block-ssn');
    await page.getByRole('option', { name: /^words\.block-ssn .+Rule$/ }).click();
    await page.waitForURL('**/policies/production/rules/words.block-ssn*');
  }, 120_000);

  it('include a bar with the actions on a call, above the bottom navigation of a small screen', async () => {
    const watched = await WatchedPage.open(await pages.otherContext({ width: 390, height: 844 }));
    const { page } = watched;
    await page.goto(`${app().url}/events/${account().event}`);
    await watched.settled();
    const bar = await boxOf(page.locator('.mark-bar'));
    const tabs = await boxOf(page.getByRole('navigation', { name: 'Main' }).last());
    expect([bar.x, bar.width, bar.height, bar.y + bar.height]).toEqual([0, 390, 48, tabs.y]);
    expect(await watched.faults()).toEqual([]);
  }, 120_000);
});

async function drawn(page: Page, edge: Locator, byPx: number): Promise<void> {
  const { x, y, width, height } = await boxOf(edge);
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + byPx, y + height / 2, { steps: 4 });
  await page.mouse.up();
}

/** Scrolls down until the row is drawn: a list loads and draws rows only near the visible part. */
async function scrolledTo(list: Locator, wanted: Locator): Promise<void> {
  for (let tries = 0; tries < 60 && !(await wanted.isVisible()); tries++) {
    await list.evaluate((element) => (element.scrollTop = element.scrollHeight));
    await wanted.waitFor({ timeout: 1_000 }).catch(() => undefined);
  }
  await wanted.waitFor();
}

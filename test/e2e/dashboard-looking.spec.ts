import type { BrowserContext, Page } from 'playwright-core';
import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, signedIn, type DashboardAccount } from '../support/dashboard-accounts.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { asking, deploy } from '../support/dashboard-walk.js';
import { identityClient } from '../support/identity-client.js';

describeInChromium('Searching in the dashboard', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  let account: DashboardAccount;
  let context: BrowserContext;
  let watched: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    account = await dashboardAccount(app, 'many');
    context = await signedIn(browser(), app().url, account, { viewport: { width: 1280, height: 700 } });
  }, 120_000);
  beforeEach(async () => {
    watched = await WatchedPage.open(context);
    ({ page } = watched);
  });
  afterEach(async () => {
    expect(await watched.faults()).toEqual([]);
    await page.close();
  });

  const search = async (text: string): Promise<void> => {
    await page.getByRole('main').getByRole('searchbox').fill(text);
    await page.keyboard.press('Enter');
  };
  const newKey = async (name: string): Promise<string> => {
    const body = { name, environment: 'production' };
    const { json } = await client.post(`/v1/apps/${account.app}/keys`, body, account.cookie);
    return (json as { readonly secret: string }).secret;
  };
  const scrolledDown = (): Promise<unknown> =>
    page
      .getByRole('grid', { name: 'Events' })
      .evaluate((element) => ((element as unknown as { scrollTop: number }).scrollTop = 320));
  const asked = (name: string): string | null => new URL(page.url()).searchParams.get(name);

  it('accepts typed filters, reports invalid ones, and inverts a filter', async () => {
    await page.goto(`${app().url}/events`);
    await page.getByRole('row').nth(1).waitFor();
    await search('cost>cheap');
    await page.getByText('“cost>cheap” needs a number after >.').waitFor();
    await search('app:nobody');
    await page.getByText('There is no app with the name “nobody”.').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await search('-model:gpt-4o weir>=0ms metadata.team:"team 1"');
    await page.waitForURL('**/events?*not.model*');
    expect([asked('not.model'), asked('min_weir_ms'), asked('metadata.team')]).toEqual(['gpt-4o', '0', 'team 1']);
    await page.getByRole('button', { name: 'not Model: select these instead' }).click();
    await page.waitForURL((url) => url.searchParams.get('model') === 'gpt-4o');
    expect(asked('not.model')).toBeNull();
    await watched.settled();
  }, 60_000);

  it('names the filter without which there would be results', async () => {
    await page.goto(`${app().url}/events?outcome=blocked&model=gpt-4o&provider=nobody`);
    await page.getByRole('button', { name: /^Remove Provider nobody \(\d+\)$/ }).click();
    await page.getByRole('row').filter({ hasText: 'words.block-ssn' }).first().waitFor();
    await watched.settled();
  }, 60_000);

  it('lists single events on request', async () => {
    await page.goto(`${app().url}/events?outcome=blocked`);
    const calls = page.getByRole('status').filter({ hasText: /^8 calls/ });
    await calls.waitFor();
    await page.getByRole('button', { name: 'Every event' }).click();
    await page.waitForURL('**/events?*view=events*');
    await page.getByRole('status').filter({ hasText: 'events' }).waitFor();
    await page.getByRole('button', { name: 'Every event' }).click();
    await calls.waitFor();
    await watched.settled();
  }, 60_000);

  it('saves a view under its name, deletes it, and takes the deletion back', async () => {
    await page.goto(`${app().url}/events?model=gpt-4o-mini`);
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Small models');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const view = page.getByRole('group', { name: 'Views' }).getByRole('button', { name: 'Small models' });
    await view.waitFor();
    await page.getByRole('button', { name: 'Delete view' }).click();
    await view.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo the deletion' }).and(page.locator(':focus')).press('Enter');
    await view.and(page.locator('[aria-pressed=true]')).waitFor();
    expect(asked('model')).toBe('gpt-4o-mini');
    await page.getByRole('button', { name: 'Delete view' }).click();
    await view.waitFor({ state: 'detached' });
    await watched.settled();
  }, 60_000);

  it('does not move the visible rows while new events arrive', async () => {
    const ask = asking(app().url, await newKey('live'));
    await page.goto(`${app().url}/events?live=1`);
    await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
    await scrolledDown();
    const read = page.getByRole('row').nth(15);
    const before = [await read.getAttribute('aria-rowindex'), (await read.boundingBox())?.y];
    const text = await read.innerText();
    await ask('hello while you read');
    await page.getByRole('button', { name: /^\d+ new events?$/ }).waitFor();
    const same = page.locator(`[role=row][aria-rowindex="${Number(before[0]) + 1}"]`);
    expect([await same.innerText(), Math.round((await same.boundingBox())!.y)]).toEqual([
      text,
      Math.round(Number(before[1])),
    ]);
    await page.getByRole('button', { name: /^\d+ new events?$/ }).click();
    await page.getByText('hello while you read').waitFor();
    await watched.settled();
  }, 60_000);

  it('includes the calls that arrived while it was read when it begins to be followed live', async () => {
    const ask = asking(app().url, await newKey('before'));
    await page.goto(`${app().url}/events`);
    await page.getByRole('row').nth(15).waitFor();
    await scrolledDown();
    await ask('hello before you follow');
    await page.keyboard.press('t');
    await page.getByRole('button', { name: /^\d+ new events?$/ }).click();
    await page.getByText('hello before you follow').waitFor();
    await watched.settled();
  }, 60_000);

  it('shows a call that is followed live in one row with its final outcome, also after following it has ended', async () => {
    const secret = await newKey('followed');
    const record = (event: object) =>
      client.send(
        'POST',
        '/v1/events',
        { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        JSON.stringify({ request_id: 'followed-1', model: 'gpt-4o', ...event }),
      );
    await page.goto(`${app().url}/events?live=1`);
    await page.getByRole('button', { name: 'Live', exact: true, pressed: true }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'hello to be followed' });
    await record({ type: 'ai.request', payload: { messages: [{ role: 'user', content: 'hello to be followed' }] } });
    await row.getByText('Allowed').waitFor();
    const choices = [{ message: { role: 'assistant', content: 'write to mail-1' } }];
    await record({ type: 'ai.response', payload: { choices } });
    await row.getByText('Flagged').waitFor();
    expect(await row.innerText()).toContain('words.redact-answer');
    const listed = page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/events');
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await (await listed).finished();
    await watched.settled();
    expect(await row.count()).toBe(1);
    expect(await row.innerText()).toMatch(/Flagged[\s\S]*words\.redact-answer/);
    await search('hello');
    await page.getByRole('button', { name: 'Live', exact: true, disabled: true }).waitFor();
    await watched.settled();
  }, 60_000);

  it('shows the cost of a call that is followed under filters which only its request matches', async () => {
    const secret = await newKey('filtered');
    const record = (event: object) =>
      client.send(
        'POST',
        '/v1/events',
        { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        JSON.stringify({ request_id: 'filtered-1', ...event }),
      );
    await page.goto(`${app().url}/events?live=1&rule=words.flag-token&model=gpt-4o&metadata.team=live`);
    await page.getByRole('button', { name: 'Live', exact: true, pressed: true }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'to be filtered' });
    const messages = [{ role: 'user', content: 'token-3 to be filtered' }];
    await record({ type: 'ai.request', model: 'gpt-4o', metadata: { team: 'live' }, payload: { messages } });
    await row.getByText('Flagged').waitFor();
    // The answer has neither the rule nor the model nor the metadata.
    const choices = [{ message: { role: 'assistant', content: 'nothing special' } }];
    await record({ type: 'ai.response', payload: { choices, cost_usd: 0.25 } });
    await row.getByText('$0.25000').waitFor();
    expect(await row.count()).toBe(1);
    await watched.settled();
  }, 60_000);

  it('opens a list with the call from each value of its metadata, whatever environment the address names', async () => {
    const body = { name: 'leaves', environment: 'staging' };
    const { json } = await client.post(`/v1/apps/${account.app}/keys`, body, account.cookie);
    const { secret } = json as { readonly secret: string };
    const event = {
      ...{ type: 'ai.request', request_id: 'leaves-1', model: 'gpt-4o' },
      metadata: { user: { id: 7 }, tags: ['a', 'b'] },
      payload: { messages: [{ role: 'user', content: 'hello' }] },
    };
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    await client.send('POST', '/v1/events', headers, JSON.stringify(event));
    const { data } = (await client.get('/v1/events?request_id=leaves-1', account.cookie)).json as {
      readonly data: readonly { readonly id: string }[];
    };
    for (const name of ['filter by user.id 7', 'filter by tags b']) {
      await page.goto(`${app().url}/events/${data[0]!.id}`);
      await page.getByRole('link', { name, exact: true }).click();
      await page
        .getByRole('status')
        .filter({ hasText: /^1 call / })
        .waitFor();
      expect(asked('env')).toBe('staging');
    }
    await watched.settled();
  }, 60_000);

  it('offers every outcome and app beside the present ones, and adds the chosen ones', async () => {
    await client.post('/v1/apps', { name: 'quiet app' }, account.cookie);
    await page.goto(`${app().url}/events?outcome=blocked`);
    await page.getByRole('row').nth(1).waitFor();
    const dialog = page.getByRole('dialog');
    const choices = dialog.getByRole('list', { name: 'Choices' }).getByRole('button');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await dialog.getByLabel('Filter by').selectOption('outcome');
    expect(await choices.count()).toBe(7);
    await choices.filter({ hasText: /^redacted/ }).click();
    await page.waitForURL((url) => url.searchParams.get('outcome') === 'blocked,redacted');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await dialog.getByLabel('Value').fill('QUIET');
    await choices.filter({ hasText: /^quiet app\s*0$/ }).waitFor();
    expect(await choices.count()).toBe(1);
    expect(await watched.faults()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.has('app'));
    expect(asked('outcome')).toBe('blocked,redacted');
    await watched.settled();
  }, 60_000);

  it('shows what was decided about the answer of a call, and no answer of another call with its request id', async () => {
    const secret = await newKey('judged');
    const record = (type: string, payload: object) =>
      client.send(
        'POST',
        '/v1/events',
        { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        JSON.stringify({ type, request_id: 'judged-1', metadata: { session_id: 'judged answers' }, payload }),
      );
    for (const [asked, answered] of [
      ['hello, whom do I ask?', 'write to mail-1'],
      ['hello once more', 'the answer of the second call'],
    ]) {
      await record('ai.request', { messages: [{ role: 'user', content: asked }] });
      await record('ai.response', { choices: [{ message: { role: 'assistant', content: answered } }] });
    }
    const { data } = (await client.get('/v1/events?request_id=judged-1&type=ai.request', account.cookie)).json as {
      readonly data: readonly { readonly id: string }[];
    };
    await page.goto(`${app().url}/events/${data.at(-1)!.id}`);
    const answer = page.getByRole('region', { name: 'Answer', exact: true });
    await answer.getByRole('link', { name: 'words.redact-answer' }).waitFor();
    await watched.settled();
    expect(await answer.innerText()).toMatch(/policy\.yaml/);
    expect(await page.getByRole('region', { name: 'Request', exact: true }).innerText()).toContain('No rule fired.');
    expect(await page.locator('.frame').first().innerText()).toMatch(/^Flagged/);
    expect(await page.getByRole('complementary', { name: 'Details' }).innerText()).toMatch(/Outcome\s+Flagged/);
    const said = await page.getByRole('tabpanel').innerText();
    expect(said).toContain('write to');
    expect(said).not.toContain('the answer of the second call');
    await page.getByRole('button', { name: 'Right' }).click();
    await page.getByRole('status').getByText('Marked right by').waitFor();
    await page.getByRole('tab', { name: 'Explanation' }).click();
    const explained = page.getByRole('region', { name: 'Explanation: Answer' });
    await explained.getByText('words.redact-answer').first().waitFor();
    await watched.settled();
    expect(await watched.faults()).toEqual([]);
    await page.goto(`${app().url}/sessions/judged%20answers?app=${account.app}`);
    const beside = page.getByRole('region', { name: 'The selected call' });
    await beside.getByRole('region', { name: 'Answer', exact: true }).getByText('words.redact-answer').waitFor();
    await watched.settled();
  }, 60_000);

  it('opens from a figure of the overview the calls that it counts', async () => {
    await page.goto(app().url);
    const tile = page.getByRole('main').getByRole('link', { name: /^Redacted\s*\d/ });
    const [, counted] = /^Redacted\s*(\d+)/.exec(await tile.innerText()) ?? [];
    await tile.click();
    await page.waitForURL('**/events?*outcome=redacted*');
    await page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^${counted} calls`) })
      .waitFor();
    await watched.settled();
  }, 60_000);

  it('opens a call of a list that is filtered by several apps, and returns to that list', async () => {
    const apps = `${account.app},another`;
    await page.goto(`${app().url}/events?app=${apps}`);
    await page.getByRole('row').nth(1).click();
    await page.getByRole('tab', { name: 'Conversation' }).waitFor();
    await page.getByRole('link', { name: 'Back to events' }).click();
    await page.getByRole('grid', { name: 'Events' }).waitFor();
    expect(asked('app')).toBe(apps);
    expect(asked('event_app')).toBeNull();
    await watched.settled();
  }, 60_000);

  it('does not search for a pasted secret', async () => {
    await page.goto(`${app().url}/events`);
    await page.getByRole('row').nth(1).waitFor();
    const secret = `sk_live_wr1_${'a1B2c3D4e5'.repeat(5)}`;
    await search(`key:${secret}`);
    await page.getByText('This looks like a secret. It was not sent.').waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Filter by').selectOption('q');
    await dialog.getByLabel('Value').fill(secret);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('This looks like a secret. It was not sent.').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await watched.settled();
  }, 60_000);

  it('shows no zeros before it is known whether the account has any calls', async () => {
    const nobody = await dashboardAccount(app, 'never');
    const fresh = await signedIn(browser(), app().url, nobody, { viewport: { width: 1280, height: 700 } });
    await page.close();
    watched = await WatchedPage.open(fresh);
    ({ page } = watched);
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route(
      (url) => url.pathname === '/v1/events',
      async (route) => {
        await held;
        await route.continue();
      },
    );
    const counted = page.waitForResponse((response) => response.url().includes('group_by=outcome'));
    await page.goto(app().url);
    await counted;
    // After two frames the response is rendered.
    await page.evaluate(
      () =>
        new Promise<void>((done) => {
          const { requestAnimationFrame: next } = globalThis as unknown as {
            requestAnimationFrame(then: () => void): void;
          };
          next(() => next(() => next(done)));
        }),
    );
    expect(
      await page
        .getByRole('main')
        .getByRole('link', { name: /^Calls/ })
        .count(),
    ).toBe(0);
    goOn();
    await page.getByText('No calls yet.').waitFor();
  }, 60_000);

  it('charts calls, cost, tokens and latency, and lists the rules that fired most', async () => {
    await page.goto(app().url);
    const metric = page.getByLabel('Value shown in the chart');
    for (const [value, series] of [
      ['cost', /production/],
      ['tokens', /production/],
      ['weir_ms', /p50\s*p95\s*p99/],
      ['calls', /Allowed[\s\S]*Blocked/],
    ] as const) {
      await metric.selectOption(value);
      await watched.settled();
      expect(await page.locator('figure .legend').first().innerText()).toMatch(series);
    }
    await page.getByRole('link', { name: 'Deployment 2 of production' }).click();
    await page.getByText(/rules? changed|No rule differs/).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /events of words\.block-ssn$/ }).click();
    await page.waitForURL('**/events?*rule=words.block-ssn*');
    await watched.settled();
  }, 60_000);

  it('shows how the policy of each environment stores texts, and where it says so', async () => {
    await page.goto(`${app().url}/settings/records`);
    const cells = page.locator('td[data-label="content"]');
    await cells.last().waitFor();
    expect(await cells.allInnerTexts()).toEqual(['redacted', 'none', 'full']);
    const links = page.locator('td[data-label="defined in"] a');
    const places = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    expect(places.map((place) => place.replace(/\?[^#]*/, '').replace(/#L\d+$/, '#'))).toEqual(
      ['production', 'staging', 'development'].map((env) => `/policies/${env}/files/${env}/policy.yaml#`),
    );
  });

  it('shows no amount for calls without a price, and says how many a sum of costs leaves out', async () => {
    let cost = '0';
    await page.route('**/v1/stats?*', async (route) => {
      const response = await route.fetch();
      const stats = (await response.json()) as { readonly totals: object };
      const totals = { ...stats.totals, cost_nano_usd: cost, without_price: 3 };
      await route.fulfill({ response, json: { ...stats, totals } });
    });
    const tile = page.locator('.tiles').getByRole('link', { name: /^Cost/ });
    for (const shown of ['no price', '$1.25+']) {
      await page.goto(`${app().url}/`);
      await tile.waitFor();
      expect((await tile.innerText()).split('\n').filter((line) => line.trim() !== '')).toEqual([
        ...['Cost', shown, '3 calls have no price'],
      ]);
      cost = '1250000000';
    }
  });

  it('keeps the reason entered for a rollback if somebody deploys in the meantime, and shows what changed', async () => {
    await page.close();
    watched = await WatchedPage.open(context, { allowsRefusals: true });
    ({ page } = watched);
    await page.goto(`${app().url}/policies/production/history`);
    await page.getByRole('button', { name: 'Roll back to 1', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/Reason, at least/).fill('Refuses what it should not');
    await dialog.getByLabel('Type production').fill('production');
    await deploy(client, account.cookie, 'Meanwhile');
    const rollBack = dialog.getByRole('button', { name: 'Roll back to 1' });
    await rollBack.click();
    await dialog.getByText('Somebody deployed #3 meanwhile.').waitFor();
    await dialog.getByRole('button', { name: 'See what changed' }).click();
    await dialog.getByText(/rules? changed|No rule differs/).waitFor();
    await rollBack.click();
    await page.getByRole('status').getByText('is in force').waitFor();
    await watched.settled();
  }, 60_000);
});

import { appWithProvider } from '../support/app-with-provider.js';
import { dashboardAccount, signedIn } from '../support/dashboard-accounts.js';
import { boxOf } from '../support/dashboard-browser.js';
import { pageOfEachTest } from '../support/dashboard-pages.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { asking, deploy, newKey, reporting } from '../support/dashboard-walk.js';
import { identityClient } from '../support/identity-client.js';

describeInChromium('Searching in the dashboard', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  const tab = pageOfEachTest(browser, app, { data: 'many', heightPx: 700 });
  const { account, goTo, asked, moveTo } = tab;

  const search = async (text: string): Promise<void> => {
    await tab.page.getByRole('main').getByRole('searchbox').fill(text);
    await tab.page.keyboard.press('Enter');
  };
  const askingAs = async (key: string) => asking(app().url, await newKey(client, account(), key));
  const reportingAs = async (key: string) => reporting(client, await newKey(client, account(), key));
  const scrolledDown = (): Promise<unknown> =>
    tab.page.getByRole('grid', { name: 'Events' }).evaluate((element) => (element.scrollTop = 320));

  it('accepts typed filters, reports invalid ones, and inverts a filter', async () => {
    await goTo('/events');
    await tab.page.getByRole('row').nth(1).waitFor();
    await search('cost>cheap');
    await tab.page.getByText('“cost>cheap” needs a number after >.').waitFor();
    await search('app:nobody');
    await tab.page.getByText('There is no app with the name “nobody”.').waitFor();
    expect(new URL(tab.page.url()).search).toBe('');
    await search('-model:gpt-4o weir>=0ms metadata.team:"team 1"');
    await tab.page.waitForURL('**/events?*not.model*');
    expect([asked('not.model'), asked('min_weir_ms'), asked('metadata.team')]).toEqual(['gpt-4o', '0', 'team 1']);
    await tab.page.getByRole('button', { name: 'not Model: select these instead' }).click();
    await tab.page.waitForURL((url) => url.searchParams.get('model') === 'gpt-4o');
    expect(asked('not.model')).toBeNull();
  }, 60_000);

  it('names the filter without which there would be results', async () => {
    await goTo('/events?outcome=blocked&model=gpt-4o&provider=nobody');
    await tab.page.getByRole('button', { name: /^Remove Provider nobody \(\d+\)$/ }).click();
    await tab.page.getByRole('row').filter({ hasText: 'words.block-ssn' }).first().waitFor();
  }, 60_000);

  it('lists single events on request', async () => {
    await goTo('/events?outcome=blocked');
    const calls = tab.page.getByRole('status').filter({ hasText: /^8 calls/ });
    await calls.waitFor();
    await tab.page.getByRole('button', { name: 'Every event' }).click();
    await tab.page.waitForURL('**/events?*view=events*');
    await tab.page.getByRole('status').filter({ hasText: 'events' }).waitFor();
    await tab.page.getByRole('button', { name: 'Every event' }).click();
    await calls.waitFor();
  }, 60_000);

  it('saves a view under its name, deletes it, and takes the deletion back', async () => {
    await goTo('/events?model=gpt-4o-mini');
    await tab.page.getByRole('button', { name: 'Save view' }).click();
    await tab.page.getByRole('dialog').getByLabel('Name').fill('Small models');
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const view = tab.page.getByRole('group', { name: 'Views' }).getByRole('button', { name: 'Small models' });
    await view.waitFor();
    await tab.page.getByRole('button', { name: 'Delete view' }).click();
    await view.waitFor({ state: 'detached' });
    await tab.page.getByRole('button', { name: 'Undo the deletion' }).and(tab.page.locator(':focus')).press('Enter');
    await view.and(tab.page.locator('[aria-pressed=true]')).waitFor();
    expect(asked('model')).toBe('gpt-4o-mini');
    await tab.page.getByRole('button', { name: 'Delete view' }).click();
    await view.waitFor({ state: 'detached' });
  }, 60_000);

  it('does not move the visible rows while new events arrive', async () => {
    const ask = await askingAs('live');
    await goTo('/events?live=1');
    await tab.page.getByRole('button', { name: 'Live', exact: true }).waitFor();
    await scrolledDown();
    const read = tab.page.getByRole('row').nth(15);
    const before = [await read.getAttribute('aria-rowindex'), (await read.boundingBox())?.y];
    const text = await read.innerText();
    await ask('hello while you read');
    await tab.page.getByRole('button', { name: /^\d+ new events?$/ }).waitFor();
    const same = tab.page.locator(`[role=row][aria-rowindex="${Number(before[0]) + 1}"]`);
    expect([await same.innerText(), Math.round((await boxOf(same)).y)]).toEqual([text, Math.round(Number(before[1]))]);
    await tab.page.getByRole('button', { name: /^\d+ new events?$/ }).click();
    await tab.page.getByText('hello while you read').waitFor();
  }, 60_000);

  it('includes the calls that arrived while it was read when it begins to be followed live', async () => {
    const ask = await askingAs('before');
    await goTo('/events');
    await tab.page.getByRole('row').nth(15).waitFor();
    await scrolledDown();
    await ask('hello before you follow');
    await tab.page.keyboard.press('t');
    await tab.page.getByRole('button', { name: /^\d+ new events?$/ }).click();
    await tab.page.getByText('hello before you follow').waitFor();
  }, 60_000);

  it('shows a call that is followed live in one row with its final outcome, also after following it has ended', async () => {
    const report = await reportingAs('followed');
    const record = (event: object) => report({ request_id: 'followed-1', model: 'gpt-4o', ...event });
    await goTo('/events?live=1');
    await tab.page.getByRole('button', { name: 'Live', exact: true, pressed: true }).waitFor();
    const row = tab.page.getByRole('row').filter({ hasText: 'hello to be followed' });
    await record({ type: 'ai.request', payload: { messages: [{ role: 'user', content: 'hello to be followed' }] } });
    await row.getByText('Allowed').waitFor();
    const choices = [{ message: { role: 'assistant', content: 'write to mail-1' } }];
    await record({ type: 'ai.response', payload: { choices } });
    await row.getByText('Flagged').waitFor();
    expect(await row.innerText()).toContain('words.redact-answer');
    const listed = tab.page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/events');
    await tab.page.getByRole('button', { name: 'Live', exact: true }).click();
    await (await listed).finished();
    await tab.watched.settled();
    expect(await row.count()).toBe(1);
    expect(await row.innerText()).toMatch(/Flagged[\s\S]*words\.redact-answer/);
    await search('hello');
    await tab.page.getByRole('button', { name: 'Live', exact: true, disabled: true }).waitFor();
  }, 60_000);

  it('shows the cost of a call that is followed under filters which only its request matches', async () => {
    const report = await reportingAs('filtered');
    const record = (event: object) => report({ request_id: 'filtered-1', ...event });
    await goTo('/events?live=1&rule=words.flag-token&model=gpt-4o&metadata.team=live');
    await tab.page.getByRole('button', { name: 'Live', exact: true, pressed: true }).waitFor();
    const row = tab.page.getByRole('row').filter({ hasText: 'to be filtered' });
    const messages = [{ role: 'user', content: 'token-3 to be filtered' }];
    await record({ type: 'ai.request', model: 'gpt-4o', metadata: { team: 'live' }, payload: { messages } });
    await row.getByText('Flagged').waitFor();
    // The answer has neither the rule nor the model nor the metadata.
    const choices = [{ message: { role: 'assistant', content: 'nothing special' } }];
    await record({ type: 'ai.response', payload: { choices, cost_usd: 0.25 } });
    await row.getByText('$0.25000').waitFor();
    expect(await row.count()).toBe(1);
  }, 60_000);

  it('opens a list with the call from each value of its metadata, whatever environment the address names', async () => {
    const report = reporting(client, await newKey(client, account(), 'leaves', 'staging'));
    await report({
      ...{ type: 'ai.request', request_id: 'leaves-1', model: 'gpt-4o' },
      metadata: { user: { id: 7 }, tags: ['a', 'b'] },
      payload: { messages: [{ role: 'user', content: 'hello' }] },
    });
    const { data } = (await client.get('/v1/events?request_id=leaves-1', account().cookie)).json;
    for (const name of ['filter by user.id 7', 'filter by tags b']) {
      await goTo(`/events/${data[0].id}`);
      await tab.page.getByRole('link', { name, exact: true }).click();
      await tab.page
        .getByRole('status')
        .filter({ hasText: /^1 call / })
        .waitFor();
      expect(asked('env')).toBe('staging');
    }
  }, 60_000);

  it('offers every outcome and app beside the present ones, and adds the chosen ones', async () => {
    await client.post('/v1/apps', { name: 'quiet app' }, account().cookie);
    await goTo('/events?outcome=blocked');
    await tab.page.getByRole('row').nth(1).waitFor();
    const dialog = tab.page.getByRole('dialog');
    const choices = dialog.getByRole('list', { name: 'Choices' }).getByRole('button');
    await tab.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await dialog.getByLabel('Filter by').selectOption('outcome');
    expect(await choices.count()).toBe(7);
    await choices.filter({ hasText: /^redacted/ }).click();
    await tab.page.waitForURL((url) => url.searchParams.get('outcome') === 'blocked,redacted');
    await tab.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await dialog.getByLabel('Value').fill('QUIET');
    await choices.filter({ hasText: /^quiet app\s*0$/ }).waitFor();
    expect(await choices.count()).toBe(1);
    expect(await tab.watched.faults()).toEqual([]);
    await tab.page.keyboard.press('Enter');
    await tab.page.waitForURL((url) => url.searchParams.has('app'));
    expect(asked('outcome')).toBe('blocked,redacted');
  }, 60_000);

  it('shows what was decided about the answer of a call, and no answer of another call with its request id', async () => {
    const report = await reportingAs('judged');
    const record = (type: string, payload: object) =>
      report({ type, request_id: 'judged-1', metadata: { session_id: 'judged answers' }, payload });
    for (const [asked, answered] of [
      ['hello, whom do I ask?', 'write to mail-1'],
      ['hello once more', 'the answer of the second call'],
    ]) {
      await record('ai.request', { messages: [{ role: 'user', content: asked }] });
      await record('ai.response', { choices: [{ message: { role: 'assistant', content: answered } }] });
    }
    const { data } = (await client.get('/v1/events?request_id=judged-1&type=ai.request', account().cookie)).json;
    await goTo(`/events/${data.at(-1).id}`);
    const answer = tab.page.getByRole('region', { name: 'Answer', exact: true });
    await answer.getByRole('link', { name: 'words.redact-answer' }).waitFor();
    await tab.watched.settled();
    expect(await answer.innerText()).toMatch(/policy\.yaml/);
    expect(await tab.page.getByRole('region', { name: 'Request', exact: true }).innerText()).toContain(
      'No rule fired.',
    );
    expect(await tab.page.locator('.frame').first().innerText()).toMatch(/^Flagged/);
    expect(await tab.page.getByRole('complementary', { name: 'Details' }).innerText()).toMatch(/Outcome\s+Flagged/);
    const said = await tab.page.getByRole('tabpanel').innerText();
    expect(said).toContain('write to');
    expect(said).not.toContain('the answer of the second call');
    await tab.page.getByRole('button', { name: 'Right' }).click();
    await tab.page.getByRole('status').getByText('Marked right by').waitFor();
    await tab.page.getByRole('tab', { name: 'Explanation' }).click();
    const explained = tab.page.getByRole('region', { name: 'Explanation: Answer' });
    await explained.getByText('words.redact-answer').first().waitFor();
    await tab.watched.settled();
    expect(await tab.watched.faults()).toEqual([]);
    await goTo(`/sessions/judged%20answers?app=${account().app}`);
    const beside = tab.page.getByRole('region', { name: 'The selected call' });
    await beside.getByRole('region', { name: 'Answer', exact: true }).getByText('words.redact-answer').waitFor();
  }, 60_000);

  it('opens from a figure of the overview the calls that it counts', async () => {
    await goTo('/');
    const tile = tab.page.getByRole('main').getByRole('link', { name: /^Redacted\s*\d/ });
    const [, counted] = /^Redacted\s*(\d+)/.exec(await tile.innerText()) ?? [];
    await tile.click();
    await tab.page.waitForURL('**/events?*outcome=redacted*');
    await tab.page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^${counted} calls`) })
      .waitFor();
  }, 60_000);

  it('opens a call of a list that is filtered by several apps, and returns to that list', async () => {
    const apps = `${account().app},another`;
    await goTo(`/events?app=${apps}`);
    await tab.page.getByRole('row').nth(1).click();
    await tab.page.getByRole('tab', { name: 'Conversation' }).waitFor();
    await tab.page.getByRole('link', { name: 'Back to events' }).click();
    await tab.page.getByRole('grid', { name: 'Events' }).waitFor();
    expect(asked('app')).toBe(apps);
    expect(asked('event_app')).toBeNull();
  }, 60_000);

  it('does not search for a pasted secret', async () => {
    await goTo('/events');
    await tab.page.getByRole('row').nth(1).waitFor();
    const secret = `sk_live_wr1_${'a1B2c3D4e5'.repeat(5)}`;
    await search(`key:${secret}`);
    await tab.page.getByText('This looks like a secret. It was not sent.').waitFor();
    await tab.page.getByRole('button', { name: 'Filter', exact: true }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByLabel('Filter by').selectOption('q');
    await dialog.getByLabel('Value').fill(secret);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('This looks like a secret. It was not sent.').waitFor();
    expect(new URL(tab.page.url()).search).toBe('');
  }, 60_000);

  it('shows no zeros before it is known whether the account has any calls', async () => {
    const nobody = await dashboardAccount(app, 'never');
    await moveTo(await signedIn(browser(), app().url, nobody, { viewport: { width: 1280, height: 700 } }));
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await tab.page.route(
      (url) => url.pathname === '/v1/events',
      async (route) => {
        await held;
        await route.continue();
      },
    );
    const counted = tab.page.waitForResponse((response) => response.url().includes('group_by=outcome'));
    await goTo('/');
    await counted;
    // After two frames the response is rendered.
    await tab.page.evaluate(
      () =>
        new Promise<void>((done) => {
          const { requestAnimationFrame: next } = globalThis as unknown as {
            requestAnimationFrame(then: () => void): void;
          };
          next(() => next(() => next(done)));
        }),
    );
    expect(
      await tab.page
        .getByRole('main')
        .getByRole('link', { name: /^Calls/ })
        .count(),
    ).toBe(0);
    goOn();
    await tab.page.getByText('No calls yet.').waitFor();
  }, 60_000);

  it('charts calls, cost, tokens and latency, and lists the rules that fired most', async () => {
    await goTo('/');
    const metric = tab.page.getByLabel('Value shown in the chart');
    for (const [value, series] of [
      ['cost', /production/],
      ['tokens', /production/],
      ['weir_ms', /p50\s*p95\s*p99/],
      ['calls', /Allowed[\s\S]*Blocked/],
    ] as const) {
      await metric.selectOption(value);
      await tab.watched.settled();
      expect(await tab.page.locator('figure .legend').first().innerText()).toMatch(series);
    }
    await tab.page.getByRole('link', { name: 'Deployment 2 of production' }).click();
    await tab.page.getByText(/rules? changed|No rule differs/).waitFor();
    await tab.page.goBack();
    await tab.page.getByRole('link', { name: /events of words\.block-ssn$/ }).click();
    await tab.page.waitForURL('**/events?*rule=words.block-ssn*');
  }, 60_000);

  it('shows how the policy of each environment stores texts, and where it says so', async () => {
    await goTo('/settings/records');
    const cells = tab.page.locator('td[data-label="content"]');
    await cells.last().waitFor();
    expect(await cells.allInnerTexts()).toEqual(['redacted', 'none', 'full']);
    const links = tab.page.locator('td[data-label="defined in"] a');
    const places = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    expect(places.map((place) => place.replace(/\?[^#]*/, '').replace(/#L\d+$/, '#'))).toEqual(
      ['production', 'staging', 'development'].map((env) => `/policies/${env}/files/${env}/policy.yaml#`),
    );
  });

  it('shows no amount for calls without a price, and says how many a sum of costs leaves out', async () => {
    let cost = '0';
    await tab.page.route('**/v1/stats?*', async (route) => {
      const response = await route.fetch();
      const stats = (await response.json()) as { readonly totals: object };
      const totals = { ...stats.totals, cost_nano_usd: cost, without_price: 3 };
      await route.fulfill({ response, json: { ...stats, totals } });
    });
    const tile = tab.page.locator('.tiles').getByRole('link', { name: /^Cost/ });
    for (const shown of ['no price', '$1.25+']) {
      await goTo('/');
      await tile.waitFor();
      expect((await tile.innerText()).split('\n').filter((line) => line.trim() !== '')).toEqual([
        ...['Cost', shown, '3 calls have no price'],
      ]);
      cost = '1250000000';
    }
  });

  it('keeps the reason entered for a rollback if somebody deploys in the meantime, and shows what changed', async () => {
    await tab.watched.leave({ allowsRefusals: true });
    await goTo('/policies/production/history');
    await tab.page.getByRole('button', { name: 'Roll back to 1', exact: true }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByLabel(/Reason, at least/).fill('Refuses what it should not');
    await dialog.getByLabel('Type production').fill('production');
    await deploy(client, account().cookie, 'Meanwhile');
    const rollBack = dialog.getByRole('button', { name: 'Roll back to 1' });
    await rollBack.click();
    await dialog.getByText('Somebody deployed #3 meanwhile.').waitFor();
    await dialog.getByRole('button', { name: 'See what changed' }).click();
    await dialog.getByText(/rules? changed|No rule differs/).waitFor();
    await rollBack.click();
    await tab.page.getByRole('status').getByText('is in force').waitFor();
  }, 60_000);
});

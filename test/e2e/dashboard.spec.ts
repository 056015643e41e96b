import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import OpenAI from 'openai';
import type { BrowserContext, Route } from 'playwright-core';
import { weights } from '../../bench/dashboard-weight.js';
import { appWithProvider } from '../support/app-with-provider.js';
import { WatchedPage } from '../support/dashboard-browser.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { identityClient, PASSWORD } from '../support/identity-client.js';

const MAX_INITIAL_JS = 160_000;
const MAX_CSS = 20_000;
const HOSTILE = '"><img src=x onerror=alert(1)>\u202e<script>alert(2)</script>';

/** JSON in ASCII, for a header. */
const inAscii = (value: object): string =>
  JSON.stringify(value).replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

describeInChromium('The dashboard in a browser', (browser) => {
  const app = appWithProvider();
  const client = identityClient(app);
  let context: BrowserContext;
  let base: string;
  beforeAll(async () => {
    const email = 'dev@example.com';
    await client.signUp(email);
    const { link } = await client.lastMail(email);
    base = new URL(link).origin;
    context = await browser().newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole('button', { name: 'Confirm my e-mail' }).click();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => !url.pathname.startsWith('/auth/login'));
    await page.close();
  }, 120_000);

  it('guides a new account to the first call, shown live, and links a blocked call to its rule in three clicks', async () => {
    const watched = await WatchedPage.open(context);
    const { page } = watched;
    await page.goto(base);
    await page.getByRole('link', { name: 'Create your first app' }).click();
    await page.getByLabel('Name of the app').fill(HOSTILE.slice(0, 60));
    await page.getByRole('main').getByRole('button', { name: 'production' }).click();
    await page.getByRole('button', { name: 'Create app and key' }).click();
    const secret = await page.getByLabel('The key', { exact: true }).inputValue();
    expect(secret).toMatch(/^sk_live_/);
    await page.getByText('Waiting for the first event').waitFor();

    const openai = new OpenAI({
      apiKey: 'none',
      maxRetries: 0,
      baseURL: `${base}/proxy/openai/v1`,
      defaultHeaders: {
        'x-service-key': secret,
        'x-service-metadata': inAscii({ team: HOSTILE, constructor: 'x' }),
      },
    });
    const ask = (content: string) =>
      openai.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content }] });
    await ask(`hello ${HOSTILE}`);
    await page.getByText('Open event').waitFor();
    await expect(ask('my number is ssn-7')).rejects.toMatchObject({ status: 400 });

    // The key was not copied, so leaving the page asks first.
    await page.getByRole('link', { name: 'Open event' }).click();
    const asking = page.getByRole('dialog', { name: 'You have not copied the key' });
    await asking.getByRole('button', { name: 'Stay' }).click();
    expect(await page.getByLabel('The key', { exact: true }).inputValue()).toBe(secret);
    await page.getByRole('link', { name: 'Open event' }).click();
    await asking.getByRole('button', { name: 'Leave without the key' }).click();

    // The secret is nowhere in the browser after its page is closed.
    await page.getByRole('tab', { name: 'Conversation' }).waitFor();
    const left = await page.evaluate(() => {
      const { document, localStorage, sessionStorage, location } = globalThis as unknown as Record<string, object> & {
        document: { documentElement: { outerHTML: string } };
      };
      return [
        document.documentElement.outerHTML,
        JSON.stringify(localStorage),
        JSON.stringify(sessionStorage),
        String(location),
      ].join();
    });
    expect(left).not.toContain(secret);

    await page.goto(base);
    await page.getByRole('link', { name: 'Events', exact: true }).first().click();
    await page.getByRole('button', { name: 'Blocked', exact: true }).click();
    await page.getByRole('row').nth(1).click();
    // The words of the list contain "Blocked" too, so only a word of the call's page shows that it is there.
    await page.getByRole('main').getByText('· enforced').first().waitFor();
    expect(await page.getByRole('main').innerText()).toMatch(/Blocked[\s\S]*enforced/);
    expect(await watched.faults()).toEqual([]);
    await page.close();
  }, 120_000);

  const PAGES = [
    '/',
    '/events?env=all',
    '/policies',
    '/policies/production',
    '/policies/production/history',
    '/budgets',
    '/apps',
    '/apps/new/setup',
    '/audit',
    '/exports',
    '/settings/profile',
    '/settings/tokens',
    '/more',
    '/nowhere',
  ];

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    'shows every page in the %s theme at %i px without a fault',
    async (colorScheme, width) => {
      const own = await browser().newContext({
        storageState: await context.storageState(),
        viewport: { width, height: 844 },
        colorScheme,
      });
      for (const path of PAGES) {
        const watched = await WatchedPage.open(own);
        await watched.page.goto(`${base}${path}`);
        await watched.page.getByRole('heading', { level: 1 }).first().waitFor();
        await watched.settled();
        expect([path, await watched.faults()]).toEqual([path, []]);
        await watched.page.close();
      }
      await own.close();
    },
    180_000,
  );

  it('creates, rotates and deletes a key, whose secret is shown once', async () => {
    const watched = await WatchedPage.open(context);
    const { page } = watched;
    await page.goto(`${base}/apps`);
    await page.getByRole('main').getByRole('table').getByRole('link').first().click();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('second');
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    const first = await page.getByLabel('The new key').inputValue();
    // Neither Escape nor the first press of the cross discards a key that was not copied.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Close', exact: true }).first().click();
    await page.getByText('You have not copied the key').waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Rotate second' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click();
    expect(await page.getByLabel('The new key').inputValue()).not.toBe(first);
    await page.getByLabel('I have stored it').check();
    await page.reload();
    await page.getByRole('button', { name: 'Delete second' }).first().click();
    await page.getByLabel('Type second').fill('second');
    await page.getByRole('button', { name: 'Delete key' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(first);
    expect(await watched.faults()).toEqual([]);
    await page.close();
  }, 120_000);

  it('asks for the password again when a session has ended, and continues on the same page', async () => {
    const own = await browser().newContext({ storageState: await context.storageState() });
    const { page } = await WatchedPage.open(own);
    await page.goto(`${base}/audit`);
    await page.getByRole('table').waitFor();
    await own.clearCookies();
    await page.getByRole('link', { name: 'Exports' }).click();
    await page.getByRole('link', { name: 'Policies' }).first().click();
    await page.getByRole('dialog').getByText('You were signed out').waitFor();
    await page.getByRole('dialog').getByRole('textbox').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('cell', { name: 'production' }).first().waitFor();
    await own.close();
  }, 120_000);

  it('reports a wrong password, and does not ask again after the right one', async () => {
    const own = await browser().newContext({ storageState: await context.storageState() });
    const { page } = await WatchedPage.open(own, { allowsRefusals: true });
    await page.goto(`${base}/audit`);
    await page.getByRole('table').waitFor();
    await own.clearCookies();
    // The response to an earlier request arrives after the password was entered.
    let late: () => void = () => undefined;
    const isLate = new Promise<void>((resolve) => {
      late = resolve;
    });
    const hold = async (route: Route): Promise<void> => {
      const answer = await route.fetch();
      await isLate;
      await route.fulfill({ response: answer });
    };
    await own.route('**/v1/export-schedules*', hold, { times: 1 });
    await page.getByRole('link', { name: 'Exports' }).click();
    const dialog = page.getByRole('dialog', { name: 'You were signed out' });
    await dialog.getByRole('textbox').fill('not my password at all');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('The password is wrong.').waitFor();
    await dialog.getByRole('textbox').fill(PASSWORD);
    // The wait starts before the click, because the list may be loaded as soon as the session is restored.
    const asked = page.waitForResponse((answer) => answer.url().includes('/v1/export-schedules') && answer.ok());
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.waitFor({ state: 'detached' });
    late();
    await asked;
    expect(await dialog.count()).toBe(0);
    await own.close();
  }, 120_000);

  it('redirects visitors without a session to the sign-in page, with the address to return to', async () => {
    const own = await browser().newContext();
    const page = await own.newPage();
    for (const path of ['/events?decision=block', '/policies/production/files/production/policy.yaml#L7']) {
      await page.goto(`${base}${path}`);
      await page.waitForURL('**/auth/login?next=*');
      expect(new URL(page.url()).searchParams.get('next')).toBe(path);
    }
    await own.close();
  }, 60_000);

  it.each([
    ['trialing', 'the trial has ended'],
    ['inactive', 'the account has no active subscription'],
    ['lapsed', 'the subscription has lapsed'],
  ])('says why calls are refused while the subscription is %s', async (state, reason) => {
    const page = await context.newPage();
    const trial = { started_at: '', ends_at: '', events_used: 1, events_included: 1, over: true };
    await page.route('**/v1/me', async (route) => {
      const response = await route.fetch();
      const me = (await response.json()) as { readonly subscription: object };
      const subscription = { ...me.subscription, billing: 'on', state, trial: state === 'trialing' ? trial : null };
      await route.fulfill({ response, json: { ...me, subscription } });
    });
    await page.goto(`${base}/audit`);
    await page.getByText(`Calls are refused because ${reason}.`).waitFor();
    await page.close();
  });
});

describe('The size of the dashboard', () => {
  it('stays within the limit of each page, and loads the editor only for pages that show a file', () => {
    expect(weights('dist/dashboard').filter(({ kilobytes, goal }) => kilobytes > goal)).toEqual([]);
  });

  it('stays within the limit of a first visit', () => {
    const html = readFileSync('dist/dashboard/index.html', 'utf8');
    const manifest = JSON.parse(readFileSync('dist/dashboard/.vite/manifest.json', 'utf8')) as Record<
      string,
      { file: string; isEntry?: boolean; imports?: string[]; css?: string[] }
    >;
    const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry === true)!;
    const scripts = new Set<string>();
    const visit = (name: string): void => {
      const chunk = manifest[name]!;
      if (scripts.has(chunk.file)) return;
      scripts.add(chunk.file);
      chunk.imports?.forEach(visit);
    };
    visit(entry);
    const size = (files: Iterable<string>): number =>
      [...files].reduce(
        (total, file) => total + gzipSync(readFileSync(`dist/dashboard/${file}`), { level: 9 }).length,
        0,
      );
    expect(size(scripts)).toBeLessThan(MAX_INITIAL_JS);
    expect(size(manifest[entry]?.css ?? [])).toBeLessThan(MAX_CSS);
    // The page itself contains no script and no style.
    expect(html).not.toMatch(/<style|<script(?![^>]*src=)|\son\w+=|style=/);
    expect(readdirSync('dist/dashboard/assets').some((file) => file.endsWith('.js.br'))).toBe(true);
  });
});

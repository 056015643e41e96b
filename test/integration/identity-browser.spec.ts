import { Database } from '../../src/database/index.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { identityClient, PASSWORD } from '../support/identity-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** The time for which programs that scan mails run a page. */
const SCANNER_MS = 10_000;

describeInChromium('A browser that runs all scripts', (browser) => {
  let app: TestApp;
  const client = identityClient(() => app);
  const isVerified = async (email: string): Promise<boolean> => {
    const rows = await app.weir.app
      .get(Database)
      .sql.query('SELECT 1 AS one FROM people WHERE email_key = $1 AND email_verified_at IS NOT NULL', [email]);
    return rows.length > 0;
  };
  beforeAll(async () => {
    app = await startTestApp();
  }, 60_000);
  afterAll(() => app.close());

  it('does not confirm an address when it opens the link, only on a click on the button', async () => {
    const email = 'scanned@example.com';
    await client.signUp(email);
    const { link } = await client.lastMail(email);
    const page = await browser().newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.method()));
    await page.goto(link);
    await page.waitForTimeout(SCANNER_MS);
    expect(new Set(asked)).toEqual(new Set(['GET']));
    expect(await isVerified(email)).toBe(false);
    await page.getByRole('button', { name: 'Confirm my e-mail' }).click();
    await page.waitForURL('**/auth/login?verified=1');
    expect(await isVerified(email)).toBe(true);

    await page.goto(link);
    await page.getByRole('button', { name: 'Confirm my e-mail' }).click();
    await page.getByText('already confirmed').waitFor();

    await page.goto(`${new URL(link).origin}/auth/login`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(({ pathname }) => pathname === '/');
    await page.goto(`${new URL(link).origin}/auth/account`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/auth/login');
    await page.goto(`${new URL(link).origin}/auth/account`);
    await page.waitForURL('**/auth/login');
    await page.close();
  });
});

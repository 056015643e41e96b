import { sampleOf, seeded } from './regex-sample.js';
import { secrets } from './secrets.js';

const CODES = new Set(Object.keys(secrets.meta.codes).filter((code) => secrets.meta.codes[code]?.enabled === true));
const scan = secrets.create(secrets.meta.options.parse({}), { codes: CODES });
const codesIn = (text: string, key?: string): string[] =>
  scan(text, key === undefined ? {} : { key }).map(({ code }) => code);

const invent = (pattern: RegExp, seed = 1): string => sampleOf(pattern, seeded(seed)).text;
const mixed = (units: number, seed = 2): string => invent(new RegExp(`[A-Za-z0-9]{${units}}`), seed);
const hex = (units: number, seed = 3): string => invent(new RegExp(`[0-9a-f]{${units}}`), seed);

const stripe = ['pk', '_live_', mixed(99)].join('');
const paystack = ['pk', '_test_', mixed(40, 5)].join('');
const posthog = ['ph', 'c_', mixed(43)].join('');
const supabase = ['sb', '_publishable_', mixed(31)].join('');

describe('Keys that their vendors publish', () => {
  it.each([
    `STRIPE_PUBLISHABLE_KEY=${stripe}`,
    `STRIPE_KEY="${stripe}"`,
    `const stripe = Stripe('${stripe}');`,
    `key: ${paystack}`,
    `NEXT_PUBLIC_POSTHOG_KEY=${posthog}`,
    `posthog.init('${posthog}', { api_host: 'https://eu.i.posthog.com' })`,
    `posthog token: ${posthog}`,
    `{"POSTHOG_API_KEY": "${posthog}"}`,
    `apikey: ${supabase}`,
    `curl -H "Authorization: Bearer ${supabase}" https://abc.supabase.co`,
    `SENTRY_DSN=https://${hex(32)}@o4501234.ingest.us.sentry.io/4507654321`,
    `RECAPTCHA_SITE_KEY=${['6', 'L', mixed(38)].join('')}`,
    `recaptchaSiteKey: "${['6', 'L', mixed(38)].join('')}"`,
  ])('are no credentials: %s', (text) => {
    expect(codesIn(text)).toEqual([]);
  });

  it('are no credentials as the value of a JSON key', () => {
    for (const key of ['api_key', 'posthogToken', 'stripe_key'])
      expect([stripe, posthog, supabase].flatMap((value) => codesIn(value, key))).toEqual([]);
  });

  it('do not hide the secret keys of the same vendors', () => {
    const personal = ['ph', 'x_', mixed(43)].join('');
    expect(codesIn(`POSTHOG_KEY=${posthog}\nPOSTHOG_PERSONAL_API_KEY=${personal}`)).toEqual(['posthog_key']);
    expect(codesIn(`posthog: ${mixed(43)}`)).toEqual(['posthog_key']);
    const secret = ['sk', '_live_', mixed(99)].join('');
    expect(codesIn(`${stripe} ${secret}`)).toEqual(['stripe_secret_key']);
    expect(codesIn(['sb', '_secret_', mixed(31)].join(''))).toEqual(['supabase_token']);
    expect(codesIn(`RECAPTCHA_SECRET_KEY=${['6', 'L', mixed(38)].join('')}`)).toHaveLength(1);
  });

  it('are reported if their form does not tell them from secret keys', () => {
    expect(codesIn(`maps key ${['AI', 'za', mixed(35)].join('')}`)).toEqual(['google_api_key']);
    expect(codesIn(`SEGMENT_WRITE_KEY=${mixed(32)}`)).toEqual(['posthog_key']);
  });
});

describe('Links, ids and hashes near the name of a vendor', () => {
  const id = invent(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/);
  const small = invent(/[a-z0-9]{15}/, 4);

  it.each([
    `https://www.dropbox.com/s/${small}/report.pdf?dl=0`,
    `https://www.dropbox.com/sh/${small}/AAD${mixed(20)}a?dl=0`,
    `https://dl.dropboxusercontent.com/s/${small}/photo.jpg`,
    'Dropbox has the file invoice20240517.pdf now.',
    `See https://www.dropbox.com/scl/fi/${invent(/[a-z0-9]{21}/)}/plan.docx?rlkey=${invent(/[a-z0-9]{25}/)}&dl=0`,
    `Heroku app ${id} was restarted`,
    `HEROKU_APP_ID=${id}`,
    `curl https://api.heroku.com/apps/${id}/dynos`,
    `2026-01-02 heroku[router]: at=info request_id=${id}`,
    `The Snyk organisation is ${id}.`,
    `Pinecone returned the vector ${id}`,
    `SCW_DEFAULT_PROJECT_ID=${id}`,
    `The contact in HubSpot, ${id}, was merged`,
    `postmark message ${id} bounced`,
    `PagerDuty incident ${id} is resolved`,
    `https://api.zoom.us/v2/meetings/${hex(32)}/recordings`,
    `![Codacy](https://app.codacy.com/project/badge/Grade/${hex(32)})`,
    `![Code Climate](https://api.codeclimate.com/v1/badges/${hex(20)}/maintainability)`,
    'https://www.linkedin.com/in/janedoe1234567',
    `<dd>${hex(32)}</dd>`,
    `${hex(64)}  sentry-cli.tar.gz\n${hex(64, 9)}  sentry-cli.zip\n`,
  ])('is no credential: %s', (text) => {
    expect(codesIn(text)).toEqual([]);
  });

  it.each([
    [`HEROKU_API_KEY=${id}`, 'heroku_api_key'],
    [`heroku: ${id}`, 'heroku_api_key'],
    [`heroku auth token ${id}`, 'heroku_api_key'],
    [`new HubSpotAPI("${id}")`, 'hubspot_token'],
    [`kucoin ${id}`, 'kucoin_key'],
    [`SCW_SECRET_KEY=${id}`, 'scaleway_key'],
    [`https://logs-01.loggly.com/inputs/${id}/tag/http/`, 'splunk_token'],
    [`dropbox_app_secret = '${small}'`, 'dropbox_token'],
    [`DD_API_KEY=${hex(32)}`, 'datadog_key'],
    [`LINKEDIN_CLIENT_SECRET=${mixed(16)}`, 'linkedin_token'],
  ])('is a credential if it is named as one, or by the vendor: %s', (text, code) => {
    expect(codesIn(text)).toEqual([code]);
  });
});

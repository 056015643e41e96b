import { sampleOf, seeded } from './regex-sample.js';
import { secrets } from './secrets.js';

const CODES = new Set(Object.keys(secrets.meta.codes).filter((code) => secrets.meta.codes[code]?.enabled === true));
const scan = secrets.create(secrets.meta.options.parse({}), { codes: CODES });
const codesIn = (text: string, key?: string): string[] =>
  scan(text, key === undefined ? {} : { key }).map(({ code }) => code);

const invent = (pattern: RegExp, seed = 1): string => sampleOf(pattern, seeded(seed)).text;
const uuid = invent(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/);
const hex24 = invent(/[0-9a-f]{24}/);
const hex30 = invent(/[0-9a-f]{30}/);
const hex32 = invent(/[0-9a-f]{32}/);
const hex40 = invent(/[0-9a-f]{40}/);
const hex64 = invent(/[0-9a-f]{64}/);
const mixed = (units: number): string => invent(new RegExp(`[A-Za-z0-9]{${units}}`), 2);

describe('Names of vendors that are ordinary words', () => {
  it.each([
    `{"segment_id":"${uuid}"}`,
    `{"segment":4,"total_tokens":12,"id":"${uuid}"}`,
    `{"zoom": 12, "tile": "${hex32}"}`,
    `{"zoom": 12, "tile_hash": "${hex32}"}`,
    `It is wise to retry ${uuid}`,
    `The linear projection is in ${hex32}`,
    `Together they form ${hex64}`,
    `Draw a circle around ${hex40}`,
    `The heap dump ${uuid} was written`,
    `A duo played ${hex40}`,
    `The amplitude of ${uuid} decreases`,
    `The axiom ${uuid} follows`,
    `A sanity check of ${uuid} passed`,
    `The drone ${hex32} has landed`,
    `A plaid shirt, number ${hex24}`,
    `A honeycomb with ${hex32}`,
    `A coherent copy of ${hex40}`,
    `geocoding result ${hex32}`,
    `cf. ${hex40} for details`,
    `The docker volume ${uuid} is full`,
  ])('make no credential of an id or a hash near them: %s', (text) => {
    expect(codesIn(text)).toEqual([]);
  });

  it.each([
    ['SEGMENT_WRITE_KEY=…', mixed(32), 'posthog_key'],
    ['segment: { write_key: "…" }', mixed(32), 'posthog_key'],
    ['zoom secret: …', hex32, 'zoom_token'],
    ['The zoom secret of the app is …', mixed(32), 'zoom_token'],
    ['TOGETHER_API_KEY=…', hex64, 'together_api_key'],
    ['CIRCLE_TOKEN=…', hex40, 'circleci_token'],
    ['curl -H "Circle-Token: …"', hex40, 'circleci_token'],
    ['WISE_API_TOKEN=…', uuid, 'wise_token'],
    ['LINEAR_CLIENT_SECRET=…', hex32, 'linear_api_key'],
    ['DUO_SKEY=…', mixed(40), 'okta_token'],
    ["HEAP_API_KEY = '…'", uuid, 'posthog_key'],
    ['SANITY_READ_TOKEN=…', mixed(60), 'contentful_token'],
    ['PLAID_SECRET=…', hex30, 'plaid_secret'],
    ['COHERE_API_KEY=…', mixed(40), 'cohere_api_key'],
    ['cohere.Client("…")', mixed(40), 'cohere_api_key'],
    ['CF_API_TOKEN=…', mixed(40), 'cloudflare_token'],
    ['docker login --password …', uuid, 'docker_token'],
  ])('make a credential of a value that is named as one: %s', (text, value, code) => {
    expect(codesIn(text.replace('…', value))).toEqual([code]);
  });

  it('make a credential of the value of a key that names one, but not of any id in a long text with that key', () => {
    expect(codesIn(hex32, 'zoomClientSecret')).toEqual(['zoom_token']);
    expect(codesIn(hex32, 'zoom_tile')).toEqual([]);
    const long = `${'The map is shown again. '.repeat(3)}Tile ${hex32} is missing.`;
    expect(codesIn(long, 'zoom_api_answer')).toEqual([]);
  });
});

describe('Formats with a short prefix', () => {
  it.each([
    'md-search-result__article',
    'md-grid-6__col-12-row-3-p',
    'pa-settings-panel__notification-preferences-up',
    'md-SearchResultArticleBox',
  ])('ignore names of styles and elements in the same form: %s', (name) => {
    expect(codesIn(`<div class="${name}">`)).toEqual([]);
  });

  it('find random values', () => {
    expect(codesIn(`key ${['md', '-', mixed(22)].join('')}`)).toEqual(['mailchimp_api_key']);
    expect(codesIn(`key ${['pa', '-', mixed(43)].join('')}`)).toEqual(['voyage_api_key']);
  });
});

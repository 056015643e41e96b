import fc from 'fast-check';
import { ConfigError, loadConfig, SETTINGS, type AppConfig, type Env } from './index.js';

const noFile = (): string => {
  throw new Error('no file expected');
};
const load = (env: Env, file?: string): AppConfig =>
  loadConfig(env, file === undefined ? noFile : () => file, '/srv/weir');
const complaint = (env: Env, file?: string): string => {
  try {
    load(env, file);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
};
const withFile = (text: string, env: Env = {}): [Env, string] => [{ WEIR_CONFIG: 'conf/weir.yaml', ...env }, text];

describe('loadConfig', () => {
  it('returns the documented defaults for an empty environment', () => {
    expect(load({})).toMatchObject({
      server: { host: '127.0.0.1', port: 8080, baseUrl: 'http://localhost:8080', trustProxy: [] },
      dataDir: '/srv/weir/.weir',
      database: { kind: 'embedded' },
      policies: { dir: '/srv/weir/policies', watch: true },
      events: { bodyLimitBytes: 1_048_576 },
      proxy: { bodyLimitBytes: 33_554_432 },
      providers: [
        { id: 'openai', style: 'openai', baseUrl: 'https://api.openai.com' },
        { id: 'anthropic', style: 'anthropic', baseUrl: 'https://api.anthropic.com' },
        { id: 'gemini', style: 'gemini', baseUrl: 'https://generativelanguage.googleapis.com' },
      ],
      rates: { events: { limit: 120, windowSeconds: 60 }, proxy: { limit: 60, windowSeconds: 60 } },
      billing: { enabled: true, trialEvents: 10_000, trialDays: 14 },
      log: { level: 'info' },
    });
  });

  it('uses one process by default, and refuses several with the embedded database', () => {
    const DATABASE_URL = 'postgres://localhost/weir';
    expect(load({}).workers).toEqual({ count: 1, number: 1 });
    expect(load({ WEIR_WORKERS: '3', DATABASE_URL }).workers.count).toBe(3);
    expect(load({ WEIR_WORKERS: 'auto', DATABASE_URL }).workers.count).toBeGreaterThan(0);
    for (const several of ['2', 'auto'])
      expect(complaint({ WEIR_WORKERS: several })).toContain('WEIR_WORKERS: needs DATABASE_URL');
    for (const wrong of ['0', '65', 'all'])
      expect(complaint({ WEIR_WORKERS: wrong, DATABASE_URL })).toContain(
        'WEIR_WORKERS: must be a whole number from 1 to 64, or auto',
      );
  });

  it('treats an empty variable as unset', () => {
    expect(load({ PORT: '', DATABASE_URL: '' })).toEqual(load({}));
  });

  it('uses the port in the default base URL, and drops the trailing slash of a configured base URL', () => {
    expect(load({ PORT: '9000' }).server.baseUrl).toBe('http://localhost:9000');
    expect(load({ WEIR_BASE_URL: 'https://weir.example/gate/' }).server.baseUrl).toBe('https://weir.example/gate');
  });

  it('uses PostgreSQL when DATABASE_URL is set, and then watches policies only on request', () => {
    const url = 'postgresql://db.example/weir';
    expect(load({ DATABASE_URL: url })).toMatchObject({
      database: { kind: 'postgres', url, poolSize: 10 },
      policies: { watch: false },
    });
    expect(load({ DATABASE_URL: url, WEIR_POLICIES_WATCH: 'on' }).policies.watch).toBe(true);
  });

  it('accepts the settings of payment pages together or not at all', () => {
    const [key, price] = [{ STRIPE_SECRET_KEY: 'k'.repeat(20) }, { STRIPE_PRICE_ID: 'price_1' }];
    expect(load({ ...key, ...price }).stripe).toMatchObject({ priceId: 'price_1' });
    expect(() => load(key)).toThrow('STRIPE_SECRET_KEY: needs STRIPE_PRICE_ID');
    expect(() => load(price)).toThrow('STRIPE_PRICE_ID: needs STRIPE_SECRET_KEY');
  });

  it('turns a rate limit off', () => {
    const { events, proxy } = load({ WEIR_RATE_EVENTS: 'off' }).rates;
    expect([events, proxy]).toEqual([undefined, { limit: 60, windowSeconds: 60 }]);
    const names = ['EVENTS', 'BATCH', 'PROXY', 'CALLS', 'MANAGEMENT', 'AUTH', 'ADDRESS'];
    expect(load(Object.fromEntries(names.map((name) => [`WEIR_RATE_${name}`, 'off']))).rates).toEqual({});
  });

  it('accepts an upstream written with /v1, because the path of the client contains it', () => {
    expect(load({ WEIR_OPENAI_BASE_URL: 'http://127.0.0.1:4010/v1/' }).providers[0]?.baseUrl).toBe(
      'http://127.0.0.1:4010',
    );
  });

  it('joins the addresses of remote detectors with their tokens', () => {
    const { remoteDetectors } = load({
      WEIR_REMOTE_DETECTORS: 'presidio=http://127.0.0.1:5002/, guard=https://guard.example/api',
      WEIR_REMOTE_DETECTOR_TOKENS: 'guard=a=b',
    });
    expect(remoteDetectors).toEqual([
      { name: 'presidio', baseUrl: 'http://127.0.0.1:5002' },
      { name: 'guard', baseUrl: 'https://guard.example/api', token: 'a=b' },
    ]);
  });

  it.each([
    ['PORT', '80801'],
    ['PORT', '8e3'],
    ['HOST', 'not a host'],
    ['DATABASE_URL', 'mysql://db.example/x'],
    ['WEIR_DATABASE_POOL', '0'],
    ['REDIS_URL', 'http://cache.example'],
    ['WEIR_BASE_URL', 'weir.example'],
    ['WEIR_BASE_URL', 'https://user:pw@weir.example'],
    ['WEIR_POLICIES_WATCH', 'yes'],
    ['WEIR_OPENAI_BASE_URL', 'ftp://x.example'],
    ['WEIR_ANTHROPIC_BASE_URL', 'https://x.example/?q=1'],
    ['SMTP_URL', 'mail.example:25'],
    ['WEIR_RATE_EVENTS', '120'],
    ['WEIR_RATE_PROXY', '0/60'],
    ['WEIR_TRIAL_EVENTS', '-1'],
    ['WEIR_TRIAL_DAYS', '1.5'],
    ['WEIR_BILLING', 'maybe'],
    ['WEIR_EVENTS_BODY_LIMIT', '1MB'],
    ['WEIR_PROXY_BODY_LIMIT', '9999999999999'],
    ['WEIR_REQUEST_TIMEOUT', '60'],
    ['WEIR_DRAIN_TIMEOUT', '2d'],
    ['WEIR_UPSTREAM_CONNECT_TIMEOUT', '0s'],
    ['WEIR_UPSTREAM_HEADERS_TIMEOUT', 'soon'],
    ['WEIR_UPSTREAM_IDLE_TIMEOUT', '99h'],
    ['WEIR_REMOTE_DETECTORS', 'presidio'],
    ['WEIR_REMOTE_DETECTORS', 'presidio=ftp://x.example'],
    ['WEIR_REMOTE_DETECTORS', 'a=http://x.example,a=http://y.example'],
    ['WEIR_REMOTE_DETECTOR_TOKENS', 'nobody=abc'],
    ['WEIR_PLUGINS', '../evil'],
    ['WEIR_PLUGINS', 'https://x.example/p.js'],
    ['WEIR_TRUST_PROXY', 'everyone'],
    ['WEIR_TRUST_PROXY', '10.0.0.0/33'],
    ['WEIR_LOG_LEVEL', 'loud'],
    ['WEIR_ARCHIVE', 'gs://bucket'],
    ['WEIR_ARCHIVE_SECRET_ACCESS_KEY', 'a\nb'],
    ['WEIR_DATA_DIR', 'a\0b'],
    ['WEIR_POLICIES_DIR', '\0'],
  ])('refuses a wrong %s by name', (name, value) => {
    const message = complaint({ [name]: value });
    expect(message).toContain(`${name}: must be`);
  });

  it('refuses a NUL character in every setting', () => {
    const wrong = complaint(Object.fromEntries(Object.values(SETTINGS).map(({ name }) => [name, '\0'])));
    for (const { name } of Object.values(SETTINGS)) expect(wrong).toContain(`  ${name}: `);
  });

  it('names every invalid setting in one error', () => {
    const message = complaint({ PORT: 'x', WEIR_BILLING: 'x', WEIR_NONSENSE: 'x' });
    expect(message).toMatch(/^3 settings are invalid:/);
    for (const name of ['PORT', 'WEIR_BILLING', 'WEIR_NONSENSE']) expect(message).toContain(`  ${name}: `);
  });

  it('refuses an unknown WEIR_ variable and suggests the nearest one', () => {
    expect(complaint({ WEIR_RATE_EVNTS: 'off' })).toContain(
      'WEIR_RATE_EVNTS: is not a setting; did you mean WEIR_RATE_EVENTS?',
    );
    expect(complaint({ WEIR_ZZZ: '1' })).toMatch(/WEIR_ZZZ: is not a setting$/);
  });

  it("ignores the client tools' variables and those that Kubernetes adds for a service called weir", () => {
    const env = {
      WEIR_TOKEN: 'x',
      WEIR_PORT: 'tcp://10.0.0.1:8080',
      WEIR_SERVICE_HOST: '10.0.0.1',
      WEIR_SERVICE_PORT: '8080',
      WEIR_SERVICE_PORT_HTTP: '8080',
      WEIR_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      WEIR_PORT_8080_TCP_ADDR: '10.0.0.1',
    };
    expect(load(env)).toEqual(load({}));
  });

  it('never prints any value, whatever it is', () => {
    const names = Object.values(SETTINGS).map(({ name }) => name);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.stringMatching(/^[G-Z]{6,12}#$/), (name, marker) => {
        expect(complaint({ [name]: marker })).not.toContain(marker);
      }),
    );
  });
});

describe('the file that WEIR_CONFIG names', () => {
  it('sets the same settings as the variables, and the variables take precedence', () => {
    const text = 'port: 9100\nhost: 0.0.0.0\nbilling: off\nrate_events: 5/10\ndata_dir: data\n';
    const config = load(...withFile(text, { HOST: '::1' }));
    expect(config.server).toMatchObject({ port: 9100, host: '::1' });
    expect(config.billing.enabled).toBe(false);
    expect(config.rates.events).toEqual({ limit: 5, windowSeconds: 10 });
    expect(config.dataDir).toBe('/srv/weir/conf/data');
  });

  it('adds providers after the built-in ones', () => {
    const text = 'providers:\n  - { id: local, style: openai, base_url: "http://127.0.0.1:11434/v1" }\n';
    expect(load(...withFile(text)).providers[3]).toEqual({
      id: 'local',
      style: 'openai',
      baseUrl: 'http://127.0.0.1:11434',
    });
  });

  it('is refused with the line of every wrong entry', () => {
    const text = [
      'prot: 1',
      'port: hunter2',
      'rate_proxy: [1]',
      'providers:',
      '  - { id: openai, style: openai, base_url: "http://x.example" }',
      '  - { id: A, style: azure, base_url: nowhere }',
      '  - { id: b, style: openai }',
      '  - 7',
    ].join('\n');
    const message = complaint(...withFile(text));
    expect(message).toContain('WEIR_CONFIG line 1, prot: is not a setting; did you mean port?');
    expect(message).toContain('WEIR_CONFIG port: must be a whole number');
    expect(message).toContain('WEIR_CONFIG line 3, rate_proxy: must be a single value');
    expect(message).toContain('WEIR_CONFIG line 5, providers[0].id: is built in; set WEIR_OPENAI_BASE_URL');
    expect(message).toContain('providers[1].id: must be lower-case');
    expect(message).toContain('providers[1].style: must be openai or anthropic or gemini');
    expect(message).toContain('providers[1].base_url: must be an http');
    expect(message).toContain('WEIR_CONFIG line 7, providers[2].base_url: is missing');
    expect(message).toContain('WEIR_CONFIG line 8, providers[3]: must be a map');
    for (const value of ['hunter2', 'azure', 'nowhere']) expect(message).not.toContain(value);
  });

  it('is refused when it cannot be read, is not YAML, has a key twice, or is not a map', () => {
    expect(complaint({ WEIR_CONFIG: 'gone.yaml' })).toContain('WEIR_CONFIG: names a file that cannot be read');
    expect(complaint(...withFile('a: [1'))).toMatch(/WEIR_CONFIG line \d+: is not valid YAML/);
    expect(complaint(...withFile('port: 1\nport: 2'))).toMatch(/WEIR_CONFIG line \d+: is not valid YAML/);
    expect(complaint(...withFile('- 1'))).toContain('must be a map of settings');
  });

  it('may be empty', () => {
    expect(load(...withFile(''))).toEqual(load({}));
  });
});

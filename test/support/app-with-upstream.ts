import { RawUpstream } from './raw-upstream.js';
import { startTestApp, type TestApp, type TestAppOptions } from './test-app.js';

/**
 * Starts a service before the tests of a suite, with one upstream, controlled byte by byte, in place of all providers; stops both after
 * the tests.
 *
 * @param options options of the service, without the providers' addresses
 * @returns functions that return both while the tests run
 */
export function appWithUpstream({ env = {}, ...options }: TestAppOptions = {}): {
  readonly app: () => TestApp;
  readonly upstream: () => RawUpstream;
} {
  let upstream: RawUpstream;
  let app: TestApp;
  beforeAll(async () => {
    upstream = await RawUpstream.start();
    app = await startTestApp({
      ...options,
      env: {
        WEIR_OPENAI_BASE_URL: upstream.url,
        WEIR_ANTHROPIC_BASE_URL: upstream.url,
        WEIR_GEMINI_BASE_URL: upstream.url,
        ...env,
      },
    });
  }, 240_000);
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });
  return { app: () => app, upstream: () => upstream };
}

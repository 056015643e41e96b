import { SimulatedProvider } from './simulated-provider.js';
import { startTestApp, type TestApp } from './test-app.js';

/**
 * Starts a service before the tests of a suite, with one simulated provider for all dialects that answers "Hi" to prompts with "hello";
 * stops both after the tests.
 *
 * @param env settings besides the providers' addresses
 * @returns a function that returns the service while the tests run
 */
export function appWithProvider(env: Readonly<Record<string, string>> = {}): () => TestApp {
  let provider: SimulatedProvider;
  let app: TestApp;
  beforeAll(async () => {
    provider = await SimulatedProvider.start();
    provider.say('hello', 'Hi');
    app = await startTestApp({
      env: {
        WEIR_OPENAI_BASE_URL: provider.url,
        WEIR_ANTHROPIC_BASE_URL: provider.url,
        WEIR_GEMINI_BASE_URL: provider.url,
        ...env,
      },
    });
  });
  afterAll(async () => {
    await app.close();
    await provider.stop();
  });
  return () => app;
}

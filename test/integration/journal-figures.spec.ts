/** The metrics of the journal when its file fails, and when there is no journal. */
import { JournalStorage } from '../../src/events/journal/journal-providers.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('The metrics of the journal', () => {
  let app: TestApp;
  afterEach(() => app.close());

  const scraped = async (): Promise<{ status: number; up: string | undefined }> => {
    const answer = await fetch(`${app.url}/metrics`);
    return { status: answer.status, up: /^weir_journal_up (\d+)$/m.exec(await answer.text())?.[1] };
  };

  it('are served with the value 0 if the file of the journal fails', async () => {
    app = await startTestApp();
    expect(await scraped()).toEqual({ status: 200, up: '1' });
    app.weir.app.get(JournalStorage, { strict: false }).file?.close();
    expect((await scraped()).status).toBe(200);
    expect(await scraped()).toEqual({ status: 200, up: '0' });
  });

  it('have no value for a journal that is switched off', async () => {
    app = await startTestApp({ env: { WEIR_JOURNAL_SIZE: '0' } });
    expect(await scraped()).toEqual({ status: 200, up: undefined });
  });
});

import { noteVersion, wasUpdated } from './version.ts';

describe('An open page', () => {
  it('notices an update of the service, and not answers without a version', () => {
    noteVersion(null);
    noteVersion('0.1.0');
    noteVersion(null);
    noteVersion('0.1.0');
    expect(wasUpdated()).toBe(false);
    noteVersion('0.2.0');
    expect(wasUpdated()).toBe(true);
  });

  it('still says so when another replica answers with the old version', () => {
    noteVersion('0.1.0');
    expect(wasUpdated()).toBe(true);
  });
});

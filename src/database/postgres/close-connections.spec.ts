import { closeConnections } from './close-connections.js';

describe('The end of the connections to PostgreSQL', () => {
  it('does not wait for a statement without an answer', async () => {
    const answered = Promise.withResolvers<void>();
    await closeConnections(
      () => answered.promise,
      () => answered.resolve(),
      1,
    );
  });

  it('lets statements in flight end', async () => {
    const done: string[] = [];
    const close = (): Promise<void> => Promise.resolve(void done.push('closed'));
    await closeConnections(close, () => void done.push('dropped'));
    expect(done).toEqual(['closed']);
  });
});

import { followed } from './follow.ts';

/** The browser's stream, whose events the test causes. */
class FakeSource {
  static readonly CLOSED = 2;
  static all: FakeSource[] = [];
  readyState = 0;
  onopen: () => void = () => undefined;
  onerror: () => void = () => undefined;
  readonly listeners = new Map<string, (event: { readonly data: string }) => void>();

  constructor() {
    FakeSource.all.push(this);
  }
  addEventListener(type: string, listen: (event: { readonly data: string }) => void): void {
    this.listeners.set(type, listen);
  }
  close(): void {
    this.readyState = FakeSource.CLOSED;
  }
  /** The server refuses the stream. */
  refuse(): void {
    this.close();
    this.onerror();
  }
  send(id: string): void {
    this.listeners.get('ai.request')?.({ data: JSON.stringify({ id }) });
  }
}

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('The stream of new events', () => {
  const globals = globalThis as unknown as Record<string, unknown>;
  beforeEach(() => {
    FakeSource.all = [];
    Object.assign(globals, { EventSource: FakeSource, window: { setTimeout: () => 1, clearTimeout: () => undefined } });
  });
  afterEach(() => {
    for (const name of ['EventSource', 'window']) Reflect.deleteProperty(globals, name);
  });

  /** Notes what the page is told: states, ids, and that the list has to be loaded. */
  function follow(look: () => Promise<void> = () => Promise.resolve()) {
    const reports: string[] = [];
    const close = followed(
      '/v1/events/tail',
      {
        take: ({ id }) => void reports.push(id),
        report: (state, refusal) => void reports.push(refusal?.words ?? state),
        opened: () => void reports.push('load the list'),
      },
      { look, refusalOf: () => ({ words: 'not now', ms: 1 }), pauseMs: () => 1 },
    );
    return { reports, close };
  }

  it('has the list loaded when it was opened, because events from before are not in it', () => {
    const { reports } = follow();
    expect(reports).toEqual(['connecting']);
    FakeSource.all[0]!.onopen();
    FakeSource.all[0]!.send('1');
    expect(reports).toEqual(['connecting', 'live', 'load the list', '1']);
  });

  it('does not have it loaded again when the browser continues after the last event', () => {
    const { reports } = follow();
    const [source] = FakeSource.all;
    source!.onopen();
    source!.send('1');
    source!.onerror();
    source!.onopen();
    expect(reports).toEqual(['connecting', 'live', 'load the list', '1', 'lost', 'live']);
  });

  it('has it loaded again when the browser begins anew, because no event had arrived', () => {
    const { reports } = follow();
    const [source] = FakeSource.all;
    source!.onopen();
    source!.onerror();
    source!.onopen();
    expect(reports.filter((each) => each === 'load the list')).toHaveLength(2);
  });

  it('has it loaded again when a refused stream is opened anew', async () => {
    const { reports } = follow();
    FakeSource.all[0]!.onopen();
    FakeSource.all[0]!.send('1');
    FakeSource.all[0]!.refuse();
    await settled();
    expect(FakeSource.all).toHaveLength(2);
    expect(reports.filter((each) => each === 'load the list')).toHaveLength(1);
    FakeSource.all[1]!.onopen();
    expect(reports.slice(-2)).toEqual(['live', 'load the list']);
  });

  it('reports a refusal, and is not opened again after it was closed', async () => {
    const refused = follow(() => Promise.reject(new Error('too many')));
    FakeSource.all[0]!.refuse();
    await settled();
    expect(refused.reports).toEqual(['connecting', 'lost', 'not now']);
    const { close } = follow();
    FakeSource.all[1]!.refuse();
    close();
    await settled();
    expect(FakeSource.all).toHaveLength(2);
  });
});

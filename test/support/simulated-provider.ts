import { LLMock, type JournalEntry } from '@copilotkit/aimock';

/** A provider that answers like the real ones, OpenAI and Anthropic alike, from what a test tells it. */
export class SimulatedProvider {
  private constructor(readonly mock: LLMock) {}

  static async start(): Promise<SimulatedProvider> {
    const mock = new LLMock({ port: 0, host: '127.0.0.1' });
    await mock.start();
    return new SimulatedProvider(mock);
  }

  /** Origin; both styles are below it. */
  get url(): string {
    return this.mock.url;
  }

  /** What has arrived, oldest first. */
  get requests(): readonly JournalEntry[] {
    return this.mock.getRequests();
  }

  /** Answers a prompt that holds these words. */
  say(prompt: string, content: string): void {
    this.mock.onMessage(prompt, { content });
  }

  /** Answers a prompt that holds these words by calling a tool. */
  callTool(prompt: string, name: string, args: object): void {
    this.mock.onMessage(prompt, { toolCalls: [{ name, arguments: JSON.stringify(args) }] });
  }

  /** Answers the next request with an error. */
  failNext(status: number, message: string): void {
    this.mock.nextRequestError(status, { message, type: 'rate_limit_error' });
  }

  /** Forgets requests and answers. */
  reset(): void {
    this.mock.reset();
  }

  async stop(): Promise<void> {
    await this.mock.stop();
  }
}

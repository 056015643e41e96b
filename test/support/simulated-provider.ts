import { LLMock, type JournalEntry } from '@copilotkit/aimock';

/** A provider with the APIs of real ones, such as OpenAI and Anthropic, whose answers the test sets. */
export class SimulatedProvider {
  private constructor(readonly mock: LLMock) {}

  static async start(): Promise<SimulatedProvider> {
    const mock = new LLMock({ port: 0, host: '127.0.0.1' });
    await mock.start();
    return new SimulatedProvider(mock);
  }

  /** The origin, which all its APIs share. */
  get url(): string {
    return this.mock.url;
  }

  /** The requests so far, oldest first. */
  get requests(): readonly JournalEntry[] {
    return this.mock.getRequests();
  }

  /** Sets the answer to prompts that contain this text. */
  say(prompt: string, content: string): void {
    this.mock.onMessage(prompt, { content });
  }

  /** Sets a tool call as the answer to prompts that contain this text. */
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

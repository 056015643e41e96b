import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WeirOptions } from '../../sdk/node/src/index.js';
import { newMigratedDataDir } from '../support/embedded-template.js';
import { readBootstrap, ServerProcess } from '../support/server-process.js';

/** The real service in a process that tests may pause and kill, with the options of a client. */
export class ServiceOfFaults {
  private constructor(
    readonly server: ServerProcess,
    readonly key: string,
    private readonly folder: string,
  ) {}

  static async start(providerUrl: string): Promise<ServiceOfFaults> {
    const folder = mkdtempSync(join(tmpdir(), 'weir-faults-'));
    const dataDir = join(folder, 'data');
    await newMigratedDataDir(dataDir);
    const env = {
      WEIR_DATA_DIR: dataDir,
      WEIR_OPENAI_BASE_URL: providerUrl,
      WEIR_ANTHROPIC_BASE_URL: providerUrl,
      WEIR_GEMINI_BASE_URL: providerUrl,
    };
    return new ServiceOfFaults(await ServerProcess.start(env), readBootstrap(dataDir).keys.production, folder);
  }

  get options(): WeirOptions {
    return { apiKey: this.key, baseUrl: this.server.url, onWarning: () => undefined };
  }

  async end(): Promise<void> {
    await this.server.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The error of a call, which has to fail. */
export const failure = (call: PromiseLike<unknown>): Promise<Error & { status?: number; code?: string }> =>
  Promise.resolve(call).then(
    () => Promise.reject(new Error('the call did not fail')),
    (error: unknown) => error as Error,
  );

export async function countOf(stream: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const part of stream) if (part !== undefined) count++;
  return count;
}

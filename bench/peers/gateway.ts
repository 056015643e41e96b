import type { ProcessTree } from '../process-tree.js';
import type { Endpoint } from './callers.js';

/** A measured program between callers and the provider. */
export interface Gateway {
  /** Name in the table. */
  readonly name: string;
  /** Description of its processing of a call, so that only comparable gateways are compared. */
  readonly does: string;
  readonly version: string;
  /** Whether it is set up to keep personal data and credentials from the provider, which is then checked before the measurement. */
  readonly governs: boolean;
  readonly endpoint: Endpoint;
  readonly tree: ProcessTree;
  stop(): Promise<void>;
}

/** A gateway that has been started; the caller adds its name. */
export type Unnamed = Omit<Gateway, 'name'>;

/** Returns why a governed gateway fails to keep the data from the provider; undefined if it succeeds. */
export async function failsToGovern({ endpoint }: Unnamed, upstream: string): Promise<string | undefined> {
  const lastCall = async (): Promise<string> => (await fetch(`${upstream}/last`)).text();
  const ask = async (content: string): Promise<number> => {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...endpoint.headers },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const [one, other] = ['ann.example', 'ben.example'].map((name) => `${name}@mail.example.com`) as [string, string];
  const askOfPeople = (): Promise<number> => ask(`Reference bcdf. Please write to ${one} and to ${other} about it.`);
  let status = await askOfPeople();
  // On a busy machine, the first calls may be refused after a timeout.
  for (let tries = 1; status === 503 && tries < 5; tries += 1) status = await askOfPeople();
  if (status !== 200) return `a call with mail addresses is answered ${status}`;
  const seen = await lastCall();
  if (!seen.includes('Reference bcdf.')) return 'a call with mail addresses does not reach the provider';
  if (seen.includes(one) || seen.includes(other)) return 'mail addresses reach the provider';
  const key = ['AKIA', 'U9EMJOMQ', 'NYU1JMFX'].join('');
  await ask(`Reference fdcb. Our deployment uses the access key ${key} in production.`);
  return (await lastCall()).includes(key) ? 'a credential reaches the provider' : undefined;
}

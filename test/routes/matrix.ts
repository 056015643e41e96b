/** Sends the requests of every cell of the matrix, and reports problems of the answers. */
import { Stripe } from 'stripe';
import { testBundle } from '../support/deployments.js';
import { EXPECTED, type Deploying, type Expected, type Takes, type Thing, type Things } from './expectations.js';
import { bearer, CANARY, RULE, signedIn, UNKNOWN, type Tenant, type Tenants } from './tenants.js';
import { FROM_ELSEWHERE, wrongKeys, wrongSessions, wrongTokens, type Wrong } from './wrong-credentials.js';

export const STRIPE_SECRET = 'whsec_' + 'of the matrix';

type Headers = Readonly<Record<string, string>>;

interface Seen {
  readonly status: number;
  /** The parts by which answers can be distinguished: status, headers and body, without values that differ in every answer. */
  readonly comparable: string;
  readonly text: string;
}

/** Headers that differ in every answer. */
const OF_THE_ANSWER: readonly string[] = [
  'date',
  'x-request-id',
  'request-id',
  'x-weir-overhead-ms',
  'x-weir-event-id',
];

export class RouteMatrix {
  private constructor(
    private readonly url: string,
    private readonly tenants: Tenants,
    private readonly own: Tenant,
    readonly foreign: Tenant,
    private readonly wrong: Readonly<Record<Takes, readonly Wrong[]>>,
  ) {}

  /** Creates the accounts and the wrong credentials on a running service. */
  static async on(url: string, tenants: Tenants): Promise<RouteMatrix> {
    const own = await tenants.fullTenant('own', 2, 1);
    const foreign = await tenants.fullTenant(CANARY, 3, 3);
    const sessions = await wrongSessions(tenants, own);
    const refused = (kind: string, headers: Headers): Wrong => ({ kind, headers, expects: () => 401 });
    const none = refused('no credential', {});
    const [token, key] = [refused('a management token', bearer(own.token)), refused('a key', bearer(own.key))];
    const wrong = {
      manager: [none, ...(await wrongTokens(tenants, own)), ...sessions],
      member: [none, token, key, ...sessions],
      key: await wrongKeys(tenants, own, bearer),
      proxy: [key, ...(await wrongKeys(tenants, own, (text) => ({ 'x-service-key': text })))],
      signature: [none, token, refused('another signature', { 'stripe-signature': 't=1,v1=00' })],
      open: FROM_ELSEWHERE,
      page: [],
    };
    return new RouteMatrix(url, tenants, own, foreign, wrong);
  }

  /** All differences between the answers of one route and the table. */
  async problemsOf(route: string): Promise<string[]> {
    const expected = EXPECTED[route]!;
    const [method = ''] = route.split(' ');
    const deploying = { base: await this.base() };
    const problems: string[] = [];
    const unauthorized = new Set<string>();
    for (const { kind, headers, expects } of this.wrong[expected.takes]) {
      const status = expects(expected, method);
      if (status === undefined) continue;
      const mine = await this.ask(route, this.own.things, headers, deploying);
      problems.push(...faults(`${kind}, own`, mine, [status]));
      // A token of another environment may get the status for it or the one for unknown objects; it learns nothing from either.
      const allowed = status === expected.bound ? [status, expected.foreign ?? 404] : [status];
      const pairs = await this.pairs(route, [expected.names ?? []], headers, deploying);
      problems.push(...pairs.flatMap((pair) => pairFaults(kind, pair, allowed)));
      if (status === 401) for (const { comparable } of [mine, ...pairs.flat()]) unauthorized.add(comparable);
    }
    if (unauthorized.size > 1) problems.push('answers with 401 are distinguishable');
    for (const headers of this.right(expected.takes)) {
      for (const pair of await this.pairs(route, choicesOf(expected), headers, deploying)) {
        problems.push(...pairFaults('the right credential', pair, [expected.foreign ?? 404]));
      }
    }
    return [...problems, ...(await this.problemsOfRight(route, expected))];
  }

  /** A valid request must succeed: otherwise the other results would prove nothing. */
  private async problemsOfRight(route: string, { ok }: Expected): Promise<string[]> {
    return (await this.askRightly(route)).flatMap((seen) => faults('everything right', seen, [ok]));
  }

  /** The answers to valid requests, for each kind of credential that the route accepts. */
  async askRightly(route: string): Promise<Seen[]> {
    const expected = EXPECTED[route]!;
    const answers: Seen[] = [];
    for (const usual of this.right(expected.takes, expected)) {
      const headers = expected.spends === 'member' ? signedIn(await this.tenants.member()) : usual;
      const things = expected.spends === 'things' ? await this.tenants.fresh(this.own) : this.own.things;
      const deploying = { base: await this.base(), bundle: testBundle(`deployed ${route}`) };
      answers.push(await this.ask(route, things, headers, deploying));
    }
    return answers;
  }

  /** Sends one request. */
  async ask(route: string, things: Things, headers: Headers, deploying: Deploying): Promise<Seen> {
    const [method = '', path = ''] = route.split(' ');
    const { names = [], query, body, endless, headers: own = {} } = EXPECTED[route]!;
    const left = [...names];
    const url = path
      .replace('{environment}', 'production')
      .replace('{rule}', RULE)
      .replace('{model}', 'gemini-2.5-flash')
      .replace('{provider}/v1/{path}', 'openai/v1/models')
      .replace('{provider}/{path}', 'openai/v1/chat/completions')
      .replaceAll(/\{\w+\}/g, () => things[left.shift()!]);
    const search = query === undefined ? '' : `?${new URLSearchParams(query(things))}`;
    const made = body?.(things, deploying);
    const content = made === undefined || typeof made === 'string' ? made : JSON.stringify(made);
    const response = await fetch(`${this.url}${url}${search}`, {
      method,
      redirect: 'manual',
      headers: { ...(content === undefined ? {} : { 'content-type': 'application/json' }), ...own, ...headers },
      ...(content === undefined ? {} : { body: content }),
    });
    const isStream = endless === true && response.status === 200;
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    const id = response.headers.get('x-request-id') ?? '';
    const kept = [...response.headers].filter(([name]) => !OF_THE_ANSWER.includes(name));
    const comparable = [response.status, JSON.stringify(kept), text.replaceAll(id, 'ID')].join('\n');
    return { status: response.status, comparable, text };
  }

  /** The answers for another account's objects and for unknown objects, for each choice of replaced names. */
  private async pairs(
    route: string,
    choices: readonly (readonly Thing[])[],
    headers: Headers,
    deploying: Deploying,
  ): Promise<(readonly [Seen, Seen])[]> {
    const pairs: [Seen, Seen][] = [];
    for (const chosen of choices.filter(({ length }) => length > 0)) {
      const from = (other: Things) => ({ ...this.own.things, ...pick(chosen, other) });
      const foreign = await this.ask(route, from(this.foreign.things), headers, deploying);
      pairs.push([foreign, await this.ask(route, from(UNKNOWN), headers, deploying)]);
    }
    return pairs;
  }

  private right(takes: Takes, { body }: Pick<Expected, 'body'> = {}): Headers[] {
    const { token, cookie, key, things } = this.own;
    switch (takes) {
      case 'manager':
        return [bearer(token), signedIn(cookie)];
      case 'member':
        return [signedIn(cookie)];
      case 'key':
        return [bearer(key)];
      case 'proxy':
        return [{ 'x-service-key': key }];
      case 'signature': {
        const payload = JSON.stringify(body?.(things, { base: {} }));
        return [{ 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret: STRIPE_SECRET }) }];
      }
      case 'open':
      case 'page':
        return [{ 'sec-fetch-site': 'same-origin' }];
    }
  }

  private async base(): Promise<object> {
    return (await this.tenants.policies(this.own.token).active()).body.base;
  }
}

function faults(what: string, { status, text }: Seen, allowed: readonly number[]): string[] {
  return [
    ...(allowed.includes(status) ? [] : [`${what}: ${status} instead of ${allowed.join(' or ')}`]),
    ...(text.includes(CANARY) ? [`${what}: returns data of another account`] : []),
  ];
}

function pairFaults(kind: string, [foreign, unknown]: readonly [Seen, Seen], allowed: readonly number[]): string[] {
  const apart = foreign.comparable === unknown.comparable ? [] : [`${kind}: foreign and unknown are distinguishable`];
  return [...faults(`${kind}, foreign`, foreign, allowed), ...apart];
}

/** Each single object that a route names, and all of them together. */
function choicesOf({ names = [] }: Expected): (readonly Thing[])[] {
  return names.length > 1 ? [...names.map((name) => [name]), names] : [names];
}

function pick(names: readonly Thing[], from: Things): Partial<Things> {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

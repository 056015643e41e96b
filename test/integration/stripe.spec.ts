import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import fc from 'fast-check';
import { Stripe } from 'stripe';
import { Database } from '../../src/database/index.js';
import { urlOf } from '../support/ports.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const SECRET = 'whsec_' + 'test_0123456789';
const KEY = 'sk_' + 'test_' + 'Stripe0123456789';
const START = 1_800_000_000;

/** An event with the state of a subscription at Stripe. */
interface Shown {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly object: object;
}

function subscriptionEvent(id: string, type: string, created: number, status: string, more: object = {}): Shown {
  return {
    id,
    type: `customer.subscription.${type}`,
    created,
    object: {
      id: 'sub_1',
      object: 'subscription',
      customer: 'cus_1',
      status,
      metadata: {},
      items: { object: 'list', data: [{ current_period_end: created + 2_592_000 }] },
      ...more,
    },
  };
}

/** A substitute for api.stripe.com that records its requests. */
class FakeStripe {
  readonly asked: { path: string; form: URLSearchParams; authorization: string | undefined }[] = [];
  fails = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeStripe> {
    const server = createServer();
    const fake = new FakeStripe(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const form = new URLSearchParams(Buffer.concat(chunks).toString());
        fake.asked.push({ path: request.url ?? '', form, authorization: request.headers.authorization });
        response.writeHead(fake.fails ? 401 : 200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify(
            fake.fails
              ? { error: { type: 'invalid_request_error', message: `Invalid API Key provided: ${KEY}` } }
              : { id: 'x_1', url: `https://stripe.example${request.url ?? ''}` },
          ),
        );
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return fake;
  }

  get url(): string {
    return urlOf(this.server);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

describe('Stripe', () => {
  let stripe: FakeStripe;
  let app: TestApp;
  let accountId: string;
  beforeAll(async () => {
    stripe = await FakeStripe.start();
    app = await startTestApp({
      env: {
        STRIPE_WEBHOOK_SECRET: SECRET,
        STRIPE_SECRET_KEY: KEY,
        STRIPE_PRICE_ID: 'price_1',
        WEIR_STRIPE_BASE_URL: stripe.url,
        WEIR_BASE_URL: 'https://weir.example',
      },
    });
    accountId = (await read('/v1/account')).json.account.id;
  });
  afterAll(async () => {
    await app.close();
    stripe.stop();
  });
  const { read, call } = restClient(() => app);
  const post = (path: string) => call('POST', path, { authorization: `Bearer ${app.bootstrap.token}` });

  const send = async ({ id, type, created, object }: Shown, signedWith = SECRET, sentAt?: number): Promise<number> => {
    const payload = JSON.stringify({ id, object: 'event', type, created, data: { object } });
    const signature = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: signedWith,
      ...(sentAt === undefined ? {} : { timestamp: sentAt }),
    });
    const response = await fetch(`${app.url}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
      body: payload,
    });
    await response.arrayBuffer();
    return response.status;
  };
  const checkout = (created = START): Shown => ({
    id: 'evt_0',
    type: 'checkout.session.completed',
    created,
    object: {
      mode: 'subscription',
      customer: 'cus_1',
      subscription: 'sub_1',
      client_reference_id: accountId,
      payment_status: 'paid',
    },
  });
  const forget = async (): Promise<void> => {
    const { sql } = app.weir.app.get(Database);
    await sql.query('DELETE FROM stripe_subscriptions');
    await sql.query(`UPDATE subscriptions SET state = 'inactive', stripe_customer_id = 'cus_1', ends_at = NULL`);
  };
  const state = async (): Promise<unknown> => (await read('/v1/subscription')).json.state;

  it('is trusted only with a valid and recent signature', async () => {
    await forget();
    const paid = checkout();
    expect(await send(paid, 'whsec_' + 'somebody else')).toBe(401);
    expect(await send(paid, SECRET, Math.floor(Date.now() / 1000) - 400)).toBe(401);
    const unsigned = await fetch(`${app.url}/webhooks/stripe`, { method: 'POST', body: '{}' });
    expect(unsigned.status).toBe(401);
    expect(JSON.stringify(await unsigned.json())).not.toContain('whsec');
    expect(await state()).toBe('inactive');
    expect(await send(paid)).toBe(204);
    expect(await state()).toBe('active');
  });

  it('leads to the right state, however its events are shuffled and repeated', async () => {
    const mine = { metadata: { weir_account_id: accountId } };
    const lives: [unknown, Shown[]][] = [
      [
        'active',
        [
          checkout(),
          subscriptionEvent('e1', 'created', START, 'incomplete', mine),
          subscriptionEvent('e2', 'updated', START, 'active', mine),
        ],
      ],
      [
        'lapsed',
        [
          checkout(),
          subscriptionEvent('e1', 'created', START + 1, 'active'),
          subscriptionEvent('e3', 'updated', START + 9, 'past_due'),
        ],
      ],
      [
        'inactive',
        [
          checkout(),
          subscriptionEvent('e1', 'updated', START + 5, 'active'),
          subscriptionEvent('e4', 'deleted', START + 5, 'canceled'),
        ],
      ],
      [
        'active',
        [
          checkout(),
          subscriptionEvent('e1', 'created', START, 'active'),
          subscriptionEvent('e5', 'created', START + 20, 'active', { id: 'sub_2' }),
          subscriptionEvent('e6', 'deleted', START + 30, 'canceled'),
        ],
      ],
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...lives), fc.infiniteStream(fc.nat()), async ([end, life], dice) => {
        await forget();
        const order = [...life, ...life].map((each) => ({ each, at: dice.next().value ?? 0 }));
        order.sort((left, right) => left.at - right.at);
        for (const { each } of order) expect(await send(each)).toBe(204);
        expect(await state()).toBe(end);
      }),
      { numRuns: 25 },
    );
  });

  it('that sends all events concurrently leads to one state, and one audit entry for each change', async () => {
    await forget();
    const life = [
      checkout(),
      subscriptionEvent('e1', 'created', START + 1, 'active'),
      subscriptionEvent('e2', 'updated', START + 2, 'past_due'),
      subscriptionEvent('e3', 'updated', START + 3, 'active'),
    ];
    const statuses = await Promise.all([...life, ...life, ...life].map((each) => send(each)));
    expect(new Set(statuses)).toEqual(new Set([204]));
    expect(await state()).toBe('active');
    const { data } = (await read('/v1/audit?action=subscription.changed&limit=100')).json;
    expect(data[0]).toMatchObject({ actor: { kind: 'system' }, details: { to: 'active' } });
    const before = data.length;
    for (const each of life) expect(await send(each)).toBe(204);
    expect((await read('/v1/audit?action=subscription.changed&limit=100')).json.data).toHaveLength(before);
  });

  it('receives 204 for events that concern no account', async () => {
    expect(await send({ id: 'e', type: 'invoice.paid', created: START, object: {} })).toBe(204);
    expect(await send(subscriptionEvent('e', 'updated', START, 'active', { customer: 'cus_stranger' }))).toBe(204);
    const stranger = { metadata: { weir_account_id: "'; DROP TABLE accounts" }, customer: 'cus_2' };
    expect(await send(subscriptionEvent('e', 'updated', START, 'active', stranger))).toBe(204);
  });

  it('provides payment pages, which are requested with the price in the settings', async () => {
    const { status, json } = await post('/v1/subscription/checkout');
    expect([status, json.url]).toEqual([201, 'https://stripe.example/v1/checkout/sessions']);
    const { form, authorization } = stripe.asked.at(-1)!;
    expect(Object.fromEntries(form)).toMatchObject({
      mode: 'subscription',
      client_reference_id: accountId,
      'line_items[0][price]': 'price_1',
      'subscription_data[metadata][weir_account_id]': accountId,
      success_url: 'https://weir.example/subscription?paid=1',
      cancel_url: 'https://weir.example/subscription',
    });
    expect(authorization).toBe(`Bearer ${KEY}`);
    const portal = await post('/v1/subscription/portal');
    expect([portal.status, portal.json.url]).toEqual([201, 'https://stripe.example/v1/billing_portal/sessions']);
    expect(stripe.asked.at(-1)?.form.get('customer')).toBe('cus_1');
    expect(stripe.asked.at(-1)?.form.get('return_url')).toBe('https://weir.example/subscription');
    expect((await read('/v1/audit?action=subscription.portal_opened')).json.data).toHaveLength(1);
  });

  it('that refuses a request causes an outage, and its answer is neither returned nor logged', async () => {
    stripe.fails = true;
    try {
      const { status, json, text } = await post('/v1/subscription/checkout');
      expect([status, json.error.type]).toEqual([503, 'unavailable']);
      expect(text).not.toContain('Stripe0123');
    } finally {
      stripe.fails = false;
    }
    expect(app.logs.join('')).not.toContain('Stripe0123');
    expect(app.logs.join('')).not.toContain(SECRET);
  });
});

describe('A service without Stripe', () => {
  it('has no webhook and no payment pages', async () => {
    const app = await startTestApp();
    try {
      const { call } = restClient(() => app);
      expect((await call('POST', '/webhooks/stripe', {}, '{}')).status).toBe(404);
      const headers = { authorization: `Bearer ${app.bootstrap.token}` };
      for (const page of ['checkout', 'portal']) {
        expect((await call('POST', `/v1/subscription/${page}`, headers)).status).toBe(404);
      }
    } finally {
      await app.close();
    }
  });
});

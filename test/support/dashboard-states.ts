/** The states of a dashboard page: how tests produce them, and the message that the page must show. */
import type { BrowserContext, Page, Route } from 'playwright-core';
import { PASSWORD } from './identity-client.js';
import type { AccountSize, DashboardAccount } from './dashboard-accounts.js';

export const PAGES: Readonly<Record<string, (account: DashboardAccount) => string>> = {
  overview: () => '/',
  events: () => '/events?env=all',
  call: ({ event }) => `/events/${event}`,
  sessions: () => '/sessions',
  session: ({ session }) => `/sessions/${session}`,
  policies: () => '/policies',
  rules: () => '/policies/production',
  history: () => '/policies/production/history',
  diff: () => '/policies/production/diff',
  files: () => '/policies/production/files',
  file: () => '/policies/production/files/production/policy.yaml',
  exceptions: () => '/policies/production/exceptions',
  rule: () => '/policies/production/rules/words.block-ssn',
  playground: () => '/policies/playground',
  budgets: () => '/budgets',
  budget: () => '/budgets/production/team-day',
  apps: () => '/apps',
  setup: ({ app }) => `/apps/${app}/setup`,
  keys: ({ app }) => `/apps/${app}/settings/keys`,
  limits: ({ app }) => `/apps/${app}/settings/limits`,
  end: ({ app }) => `/apps/${app}/settings/danger`,
  audit: () => '/audit',
  exports: () => '/exports',
  subscription: () => '/subscription',
  profile: () => '/settings/profile',
  security: () => '/settings/security',
  signIns: () => '/settings/sessions',
  tokens: () => '/settings/tokens',
  records: () => '/settings/records',
  look: () => '/settings/look',
  close: () => '/settings/account',
  more: () => '/more',
  schedule: ({ schedule }) => `/exports/schedules/${schedule}`,
};

/** The amount of data on a page. */
export interface Size {
  readonly account: AccountSize;
  /** Query parameters that are added to the address. */
  readonly search?: string;
}

export const SIZES: Readonly<Record<string, Size>> = {
  never: { account: 'never' },
  one: { account: 'one' },
  many: { account: 'many' },
  'empty by filter': { account: 'many', search: 'from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z' },
};

/** The address of a page, with the query parameters of a size. */
export function addressOf(page: string, { search }: Size, account: DashboardAccount): string {
  const path = PAGES[page]?.(account);
  if (path === undefined) throw new Error(`there is no page ${page}`);
  if (search === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${search}`;
}

/** A fault that a page meets, its message and its remedy. */
export interface Trouble {
  /** Creates the fault for each visit: the answers that replace those of the service, except for `/v1/me`. */
  readonly fault?: (() => Fault) | undefined;
  /** The message that must be visible after the fault; if absent, answers are held and the page may only show that it loads. */
  readonly said?: RegExp;
  /** The action by which a person recovers; if absent, the page recovers automatically when the fault has ended. */
  readonly helps?: (page: Page) => Promise<void>;
}

type Fault = (nth: number, path: string) => Plant | undefined;
export type Plant = 'hold' | 'drop' | { readonly status: number; readonly headers?: Record<string, string> };

const whole =
  (plant: Plant): (() => Fault) =>
  () =>
  () =>
    plant;
const again = async (page: Page): Promise<void> => {
  // A failed part is hidden until the part above it has loaded, so each retry may reveal another failed part.
  for (let left = 20; left > 0 && (await page.getByText('Could not load').count()) > 0; left--) {
    const button = page.getByRole('main').getByRole('button', { name: 'Try again' }).first();
    await button.click({ timeout: 15_000 }).catch(() => undefined);
    await page.getByRole('main').getByLabel('Loading').first().waitFor({ state: 'detached' });
  }
};

export const TROUBLES: Readonly<Record<string, Trouble>> = {
  'no fault': {},
  loading: { fault: whole('hold') },
  'partial failure': {
    fault: () => {
      let struck: string | undefined;
      return (_nth, path) => {
        // The list of apps is exempt: without it pages only show ids instead of names.
        if (path !== '/v1/apps') struck ??= path;
        return path === struck ? { status: 503 } : undefined;
      };
    },
    said: /Could not load[\s\S]*Try again|could not be loaded/,
    helps: again,
  },
  '401 in the middle': {
    fault: whole({ status: 401 }),
    said: /You were signed out/,
    helps: async (page) => {
      await page.getByRole('dialog').getByRole('textbox').fill(PASSWORD);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  },
  '402': { fault: whole({ status: 402 }), said: /Choose a plan/, helps: again },
  '403': { fault: whole({ status: 403 }), said: /role does not allow/, helps: again },
  '429': {
    fault: whole({ status: 429, headers: { 'retry-after': '2' } }),
    said: /slowed down for 2 s/,
  },
  offline: { fault: whole('drop'), said: /No connection[\s\S]*automatically/ },
};

const TYPES: Readonly<Record<number, string>> = {
  401: 'unauthenticated',
  402: 'subscription_required',
  403: 'forbidden',
  429: 'rate_limited',
  503: 'unavailable',
};

/** The body of a planted answer. */
export function plantedBody(status: number): object {
  return { error: { type: TYPES[status], message: 'A planted fault.', trace_id: 'planted' } };
}

/** Whether a fault may affect this request: any to `/v1/` except `/v1/me`. */
export function canBeStruck(path: string): boolean {
  return path.startsWith('/v1/') && path !== '/v1/me';
}

/** Applies a fault to a page's requests until it is lifted. */
export class Obstacle {
  struck = 0;
  /** Resolves when the fault has struck for the first time. */
  readonly first: Promise<void>;
  private strike: () => void = () => undefined;
  private isUp = true;
  private readonly held: (() => void)[] = [];

  constructor(private readonly fault: Fault) {
    this.first = new Promise((resolve) => {
      this.strike = resolve;
    });
  }

  /** Applies a fault to the requests of a browser context. */
  static async put(context: BrowserContext, fault: Fault): Promise<Obstacle> {
    const obstacle = new Obstacle(fault);
    await context.route(
      (url) => canBeStruck(url.pathname),
      (route) => obstacle.answer(route),
    );
    return obstacle;
  }

  lift(): void {
    this.isUp = false;
    for (const release of this.held.splice(0)) release();
  }

  /** The planted answer to a request; undefined if the service is to answer, for a held request as soon as the fault is lifted. */
  async meet(path: string): Promise<Exclude<Plant, 'hold'> | undefined> {
    const plant = this.isUp ? this.fault(this.struck, path) : undefined;
    if (plant === undefined) return undefined;
    this.struck++;
    this.strike();
    if (plant !== 'hold') return plant;
    await new Promise<void>((resolve) => this.held.push(resolve));
    return undefined;
  }

  private async answer(route: Route): Promise<void> {
    const plant = await this.meet(new URL(route.request().url()).pathname);
    if (plant === undefined) return route.fallback();
    if (plant === 'drop') return route.abort('connectionrefused');
    const { status, headers = {} } = plant;
    return route.fulfill({ status, headers, json: plantedBody(status) });
  }
}

import type { ProviderConfig } from '../config/index.js';
import { holdsOwnCredential } from './call-envelope.js';
import { proxyTarget, type ProxyTarget } from './proxy-target.js';

/** The number of cached targets: clients choose the URLs, so they must not fill the memory. */
const MOST_TARGETS = 500;
const LONGEST_URL = 256;

/**
 * A cache of the results of `proxyTarget`, because calls name the same few URLs again and again. A URL with a query or with
 * parameters is not cached, because providers accept credentials there, which must not be kept. A URL with a key of Weir,
 * which is refused later, is not cached either.
 */
export class KnownTargets {
  private readonly known = new Map<string, ProxyTarget>();

  constructor(private readonly providers: readonly ProviderConfig[]) {}

  /** @throws WeirError like `proxyTarget`; a refused URL is not cached */
  of(url: string, method: string): ProxyTarget {
    const name = `${method} ${url}`;
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const target = proxyTarget(url, method, this.providers);
    if (url.length > LONGEST_URL || /[?;]/.test(url) || holdsOwnCredential(url, '')) return target;
    if (this.known.size >= MOST_TARGETS) this.known.clear();
    this.known.set(name, target);
    return target;
  }
}

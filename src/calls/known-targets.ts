import type { ProviderConfig } from '../config/index.js';
import { holdsOwnCredential } from './call-envelope.js';
import { proxyTarget, type ProxyTarget } from './proxy-target.js';

/** The number of cached targets: clients choose the URLs, so they must not fill the memory. */
const MOST_TARGETS = 500;
const LONGEST_URL = 256;

/**
 * The targets of URLs, as `proxyTarget` finds them. Calls name the same few again and again. A URL with a query or with
 * parameters is read anew each time: providers take credentials there, which are not to be kept; so is one with a key of
 * Weir's, which is refused later.
 */
export class KnownTargets {
  private readonly known = new Map<string, ProxyTarget>();

  constructor(private readonly providers: readonly ProviderConfig[]) {}

  /** @throws WeirError as `proxyTarget`; what it refuses is not remembered */
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

import type { Order } from './order.js';

/**
 * How the effect of a changed leaf is shown. `requests`: with requests that both policies judge. `texts`: with texts that the detector
 * scans under both policies. `values`: with the two values themselves, since no decision about a call depends on it.
 */
export type ComparedBy = 'requests' | 'texts' | 'values';

export interface LeafClass {
  readonly order: Order;
  readonly comparedBy: ComparedBy;
  /** The reason for the effect of a change. */
  readonly why: string;
}

import type { Order } from './order.js';

/**
 * How it is told what a change of a leaf does. `requests`: by requests that both policies judge. `texts`: by texts in
 * which the detector looks under both. `values`: by the two values themselves, since no decision about a call shows it.
 */
export type ComparedBy = 'requests' | 'texts' | 'values';

export interface LeafClass {
  readonly order: Order;
  readonly toldBy: ComparedBy;
  /** Why a change of it is what it is. */
  readonly why: string;
}

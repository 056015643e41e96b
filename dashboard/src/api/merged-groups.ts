/** The group of the statistics that merges all groups without an entry of their own. */
import type { StatsGroup } from './stats.ts';

/** The key of that group. */
const MERGED = 'other';

/** Whether a group merges several. A model may have the name `other`, but then this is also its label. */
export const isMerged = ({ key, label }: Pick<StatsGroup, 'key' | 'label'>): boolean => key === MERGED && label !== key;

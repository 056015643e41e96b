/** The time ranges that end now, with their lengths in seconds. */
export const RANGES = { '1h': 3_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000, '90d': 7_776_000 } as const;
export type Range = keyof typeof RANGES;

/** Whether a time range has this name. */
export const isRange = (name: string): name is Range => Object.hasOwn(RANGES, name);

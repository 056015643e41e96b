/** The word of `weir apps …` that says which app. */
export const APP_ARGUMENT = { app: { type: 'string', demandOption: true, describe: 'App id or name' } } as const;

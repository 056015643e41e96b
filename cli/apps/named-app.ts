/** The argument of `weir apps …` that names the app. */
export const APP_ARGUMENT = { app: { type: 'string', demandOption: true, describe: 'App id or name' } } as const;

/** The list from which a call was opened, so that the next call can be opened with a key. */
import type { Search } from '../shell/view.ts';

export interface Listed {
  readonly id: string;
  readonly app: string;
}

/** The app of the opened call. It has its own parameter: `app` is the filter of the list, which may name several apps. */
const APP_OF_CALL = 'event_app';
/** Only for an id that the client chose, because it may be used in several environments. */
const ENVIRONMENT_OF_CALL = 'event_environment';
/** The tab of the page of a call, such as `facts`; the next call of the list opens in the same tab. */
export const TAB_OF_CALL = 'tab';

/** The parameters of the page of a call: those of its list, and the app of the call; undefined: those of the list. */
export const searchOfCall =
  (app: string | undefined, environment?: string) =>
  (before: Search): Search => ({
    ...before,
    [APP_OF_CALL]: app,
    [ENVIRONMENT_OF_CALL]: environment,
    [TAB_OF_CALL]: app === undefined ? undefined : before[TAB_OF_CALL],
  });

/** The parameters of the page of a session: the app and the environment of its calls, because clients choose the ids of sessions. */
export const searchOfSession =
  (app: string, environment: string) =>
  (before: Search): Search => ({ ...before, app, [ENVIRONMENT_OF_CALL]: environment });

/** The environment of the opened call or session. */
export const environmentOfCall = (search: Search): string | undefined => search[ENVIRONMENT_OF_CALL];

/** In a link without the own parameter, a filter by a single app names the app of the call. */
export function appOfCall({ [APP_OF_CALL]: own, app }: Search): string | undefined {
  return own ?? (app?.includes(',') === true ? undefined : app);
}

let list: readonly Listed[] = [];

export function rememberList(rows: readonly Listed[]): void {
  list = rows;
}

export function neighbours(id: string): {
  readonly at: number;
  readonly of: number;
  readonly before?: Listed;
  readonly after?: Listed;
} {
  const at = list.findIndex((each) => each.id === id);
  if (at === -1) return { at: 0, of: 0 };
  const [before, after] = [list[at - 1], list[at + 1]];
  return {
    at: at + 1,
    of: list.length,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

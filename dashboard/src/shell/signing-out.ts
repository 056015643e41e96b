/** Ends the session in all tabs of the browser: no tab keeps showing the data of an account that was left in another one. */
import { endSession } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';

/** Where the tabs go when the session has ended, and when somebody else has signed in. */
const TARGETS = ['/auth/login', '/'] as const;
type Target = (typeof TARGETS)[number];

const tabs = new BroadcastChannel('weir');

/** Discards the loaded data, and leaves the page in this tab. */
export function leave(target: Target): void {
  queryClient.clear();
  location.assign(target);
}

/** Leaves the page here and in all other tabs. */
export function leaveInAllTabs(target: Target): void {
  tabs.postMessage(target);
  leave(target);
}

/** Leaves the page when another tab does. */
export function leaveWithOtherTabs(): void {
  tabs.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const target = TARGETS.find((each) => each === data);
    if (target !== undefined) leave(target);
  });
}

/**
 * Signs out. The page stays as it is if the session could not be ended.
 *
 * @throws ApiError
 */
export async function signOut(): Promise<void> {
  await endSession();
  leaveInAllTabs('/auth/login');
}

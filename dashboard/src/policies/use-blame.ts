/** The deployment in which each line of a file last changed. */
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import type { Bundle, Environment } from '../api/types.ts';
import type { Version } from './blame.ts';

/** The maximum number of deployments to compare; lines from before are labelled as older. */
const MOST = 20;

/** @param numbers the numbers of deployments, newest first, beginning with the shown one */
export function useBlame(env: Environment, numbers: readonly number[], path: string, isWanted: boolean) {
  const looked = numbers.slice(0, MOST);
  return useQuery({
    queryKey: ['blame', env, path, looked],
    queryFn: async () => {
      const versions: Version[] = [];
      for (const number of looked) {
        const { files, tests } = await get<Bundle>(`/v1/policies/${env}/deployments/${number}/bundle`);
        versions.push({ number, text: [...files, ...tests].find((file) => file.path === path)?.text ?? '' });
      }
      // Imported here, because it uses packages of the editor, which only pages with a file load.
      const { blameOf } = await import('./blame.ts');
      return blameOf(versions, looked.length < numbers.length);
    },
    enabled: isWanted && looked.length > 0,
    staleTime: Infinity,
  });
}

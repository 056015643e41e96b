/** Differences of an environment from its deployed policy, and from production. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ActivePolicy } from '../api/types.ts';
import { counted } from '../parts/format.ts';

interface DriftProps {
  readonly active: ActivePolicy;
  readonly production: ActivePolicy | undefined;
}

export function Drift({ active, production }: DriftProps): ReactNode {
  const { environment: env, deployment, digest, replicas } = active;
  const others = replicas.filter((replica) => replica.state !== 'lost' && replica.digest !== digest).length;
  const differs = env !== 'production' && production !== undefined && production.digest !== digest;
  const words = [
    ...(deployment?.emergency === true ? ['changed on the server'] : []),
    ...(others > 0
      ? [`${others} of ${counted(replicas.length, 'replica')} ${others === 1 ? 'runs' : 'run'} another policy`]
      : []),
  ];
  return (
    <span className="line tight nowrap">
      {words.length > 0 && <span className="amber">{words.join(', ')}</span>}
      {differs && (
        <>
          <span className="dim" title={`${env} runs a different policy from production`}>
            differs
          </span>
          <Link
            to="/policies/$env/diff"
            params={{ env: 'production' }}
            search={((before: object) => ({ ...before, than: env, was: undefined, is: undefined })) as never}
            className="button"
            aria-label={`Diff: differences of ${env} from production`}
          >
            Diff
          </Link>
        </>
      )}
      {words.length === 0 && !differs && <span className="dim">none</span>}
    </span>
  );
}

import { Link } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import type { Deployment } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { counted } from '../parts/format.ts';
import { HistoryLink } from '../parts/history-link.tsx';
import { Id, None, Time } from '../parts/small.tsx';
import { UserText } from '../parts/text.tsx';
import { PolicyFrame } from './policy-frame.tsx';
import { RollbackDialog } from './rollback-dialog.tsx';
import { OlderDeployments } from './older-deployments.tsx';
import { useActive, useEnvironmentParam, useHistory, whoOf } from './use-policy.ts';
import { TableHead } from '../parts/table-head.tsx';

export function HistoryPage(): ReactNode {
  const env = useEnvironmentParam();
  const { data: active, refetch } = useActive(env);
  const history = useHistory(env);
  const [target, setTarget] = useState<Deployment | null>(null);
  // Other pages may have loaded the active policy before the newest deployment of the list.
  useEffect(() => void refetch(), [refetch]);
  const rollBackTo = async (deployment: Deployment): Promise<void> => {
    await refetch();
    setTarget(deployment);
  };
  return (
    <PolicyFrame title="History">
      <Block what="the history" query={history} height={200}>
        {(deployments) =>
          deployments.length === 0 ? (
            <Empty>
              Nothing was deployed to {env} yet: the policies folder of the server is in force.{' '}
              <code className="mono">weir deploy {env}</code> deploys.
            </Empty>
          ) : (
            <table className="table fold">
              <TableHead
                columns={[
                  'Deployment',
                  'By',
                  'Reason',
                  { label: 'Files', className: 'num' },
                  'When',
                  { label: 'Actions', hidden: true },
                ]}
              />
              <tbody>
                {deployments.map((deployment) => (
                  <HistoryRow
                    key={deployment.number}
                    deployment={deployment}
                    isInForce={active?.deployment?.number === deployment.number}
                    rollBack={() => void rollBackTo(deployment)}
                  />
                ))}
              </tbody>
            </table>
          )
        }
      </Block>
      <div className="line">
        <OlderDeployments history={history} />
        <HistoryLink of={[env]}>Entries in the audit log</HistoryLink>
      </div>
      {target !== null && target.environment === env && active !== undefined && (
        <RollbackDialog env={env} active={active} target={target} close={() => setTarget(null)} />
      )}
    </PolicyFrame>
  );
}

interface RowProps {
  readonly deployment: Deployment;
  readonly isInForce: boolean;
  readonly rollBack: () => void;
}

function HistoryRow({ deployment, isInForce, rollBack }: RowProps): ReactNode {
  const {
    number,
    action,
    restores,
    because,
    changed_files: changed,
    waived_tests: waived,
    untested,
    emergency,
  } = deployment;
  const by = whoOf(deployment);
  return (
    <tr>
      <td>
        <span className="line tight nowrap">
          <span className="strong tab-nums">#{number}</span> {action}
          {restores !== null && <span className="dim">restores #{restores}</span>}
          {isInForce && <span className="accent">in force</span>}
          {emergency && <span className="amber">emergency</span>}
          {untested && <span className="amber">untested</span>}
          {waived.length > 0 && <span className="amber">{counted(waived.length, 'test')} waived</span>}
        </span>
      </td>
      <td className="cut" title={by}>
        {by}
      </td>
      <td>{because === null ? <span className="dim">–</span> : <UserText text={because} cut />}</td>
      <td className="num" data-label="files">
        {changed.length === 0 ? <None /> : changed.length}
      </td>
      <td>
        <Time at={deployment.created_at} as="exact" />
        {deployment.digest !== null && (
          <span className="wide-only">
            <Id id={deployment.digest} tail={0} />
          </span>
        )}
      </td>
      <td className="num">
        <DeploymentActions {...{ deployment, isInForce, rollBack }} />
      </td>
    </tr>
  );
}

function DeploymentActions({ deployment, isInForce, rollBack }: RowProps): ReactNode {
  const { number, environment: env } = deployment;
  return (
    <span className="line tight nowrap">
      {number > 1 && (
        <Link
          to="/policies/$env/diff"
          params={{ env }}
          search={((before: object) => ({ ...before, was: String(number - 1), is: String(number) })) as never}
          className="button"
        >
          Diff
        </Link>
      )}
      {!isInForce && (
        <button type="button" className="button" onClick={rollBack}>
          Roll back to {number}
        </button>
      )}
    </span>
  );
}

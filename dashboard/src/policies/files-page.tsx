import { Link, useLocation, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { Environment } from '../api/types.ts';
import { Block, Empty, Failed, Skeleton } from '../parts/block.tsx';
import { Copy } from '../parts/small.tsx';
import { FilePath, visiblePath } from '../parts/text.tsx';
import { useSearchParams } from '../shell/view.ts';
import { PolicyFrame } from './policy-frame.tsx';
import { useBlame } from './use-blame.ts';
import { useActive, useBundle, useDeployments, useEnvironmentParam } from './use-policy.ts';

const Code = lazy(() => import('../parts/code.tsx'));

/** The files of the active policy or of a deployment. They are changed in git, not here. */
export function FilesPage(): ReactNode {
  const env = useEnvironmentParam();
  return (
    <PolicyFrame title="Files">
      <FileList env={env} />
    </PolicyFrame>
  );
}

export function FileList({ env }: { readonly env: Environment }): ReactNode {
  const { _splat: wanted } = useParams({ strict: false }) as { _splat?: string };
  const { deployment } = useSearchParams();
  const number = deployment === undefined ? null : Number(deployment);
  const bundle = useBundle(env, number);
  return (
    <Block what="the files" query={bundle} height={320}>
      {({ files, tests }) => {
        const all = [...files, ...tests];
        const isNamed = wanted !== undefined && wanted !== '';
        // Another file than the named one would be evidence of something else.
        const shown = isNamed ? all.find(({ path }) => path === wanted) : all[0];
        if (all.length === 0) return <Empty>There are no files.</Empty>;
        return (
          <div className="files">
            <nav aria-label="Files">
              <ul>
                {all.map(({ path }) => (
                  <li key={path}>
                    <Link
                      to="/policies/$env/files/$"
                      params={{ env, _splat: path }}
                      search={((before: object) => before) as never}
                      className={`mono cut${path === shown?.path ? ' active' : ''}`}
                      aria-current={path === shown?.path ? 'page' : undefined}
                      title={visiblePath(path)}
                    >
                      <FilePath path={path} />
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
            <div className="stack">
              {shown === undefined ? (
                <p className="notice amber">
                  {number === null ? `The policy in force in ${env}` : `Deployment ${number} of ${env}`} does not have
                  the file{' '}
                  <span className="mono">
                    <FilePath path={wanted ?? ''} />
                  </span>
                  .
                </p>
              ) : (
                <ShownFile env={env} file={shown} number={number} />
              )}
            </div>
          </div>
        );
      }}
    </Block>
  );
}

interface ShownFileProps {
  readonly env: Environment;
  readonly file: { readonly path: string; readonly text: string };
  /** The shown deployment; null for the active policy. */
  readonly number: number | null;
}

function ShownFile({ env, file, number }: ShownFileProps): ReactNode {
  const { hash } = useLocation();
  const line = /^L(\d+)$/.exec(hash)?.[1];
  const [isBlamed, setBlamed] = useState(false);
  const blame = useSince({ env, file, number }, isBlamed);
  return (
    <>
      <p className="line">
        <span className="mono cut" title={visiblePath(file.path)}>
          <FilePath path={file.path} />
        </span>{' '}
        <Copy text={file.path} label="Copy path" />
        {number !== null && <span className="dim">as in deployment {number}</span>}
        {blame.isThere && (
          <button type="button" className="button push" aria-pressed={isBlamed} onClick={() => setBlamed(!isBlamed)}>
            {isBlamed ? 'Hide blame' : 'Show blame'}
          </button>
        )}
      </p>
      {blame.error !== null && <Failed what="the blame of this file" error={blame.error} again={blame.again} />}
      <Suspense fallback={<Skeleton height={320} />}>
        <Code
          text={file.text}
          label={visiblePath(file.path)}
          line={line === undefined ? undefined : Number(line)}
          since={isBlamed ? blame.since : undefined}
        />
      </Suspense>
    </>
  );
}

/** The deployment in which each line last changed. Unknown for the policies folder. */
function useSince({ env, file, number }: ShownFileProps, isWanted: boolean) {
  const active = useActive(env).data?.deployment?.number;
  const at = number ?? active;
  const numbers = useDeployments(env).data?.data.map((each) => each.number) ?? [];
  const looked = at === undefined || at === 0 ? [] : numbers.filter((each) => each <= at);
  const { data: since, error, refetch } = useBlame(env, looked, file.path, isWanted);
  return { isThere: looked.length > 0, since, error, again: () => void refetch() };
}

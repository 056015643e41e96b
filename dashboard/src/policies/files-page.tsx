import { Link, useLocation, useParams } from '@tanstack/react-router';
import { lazy, Suspense, type ReactNode } from 'react';
import type { Environment } from '../api/types.ts';
import { Block, Empty, Skeleton } from '../parts/block.tsx';
import { Copy } from '../parts/small.tsx';
import { FilePath, visiblePath } from '../parts/text.tsx';
import { useSearchParams } from '../shell/view.ts';
import { PolicyFrame } from './policy-frame.tsx';
import { useBundle, useEnvironmentParam } from './use-policy.ts';

const Code = lazy(() => import('../parts/code.tsx'));

/** The files as they are in force, or as a deployment holds them. They are changed in git, not here. */
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
  const { hash } = useLocation();
  const line = /^L(\d+)$/.exec(hash)?.[1];
  return (
    <Block what="the files" query={bundle} height={320}>
      {({ files, tests }) => {
        const all = [...files, ...tests];
        const shown = all.find(({ path }) => path === wanted) ?? all[0];
        if (shown === undefined) return <Empty>There are no files.</Empty>;
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
                      className={`mono cut${path === shown.path ? ' active' : ''}`}
                      aria-current={path === shown.path ? 'page' : undefined}
                      title={visiblePath(path)}
                    >
                      <FilePath path={path} />
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
            <div className="stack">
              <p className="line">
                <span className="mono cut" title={visiblePath(shown.path)}>
                  <FilePath path={shown.path} />
                </span>{' '}
                <Copy text={shown.path} label="Copy path" />
                {number !== null && <span className="dim">as in deployment {number}</span>}
              </p>
              <Suspense fallback={<Skeleton height={320} />}>
                <Code
                  text={shown.text}
                  label={visiblePath(shown.path)}
                  line={line === undefined ? undefined : Number(line)}
                />
              </Suspense>
            </div>
          </div>
        );
      }}
    </Block>
  );
}

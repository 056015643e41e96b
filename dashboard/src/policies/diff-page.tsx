import { lazy, Suspense, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Empty, Part, Skeleton } from '../parts/block.tsx';
import { count } from '../parts/format.ts';
import { FilePath, visiblePath } from '../parts/text.tsx';
import { usePageKeys } from '../shell/keys.ts';
import { useSearchParams, useSetSearch } from '../shell/view.ts';
import { PolicyFrame } from './policy-frame.tsx';
import { RuleChanges } from './rule-changes.tsx';
import { ENVIRONMENTS, type Environment } from '../api/types.ts';
import { useChanges } from './use-changes.ts';
import { OlderDeployments } from './older-deployments.tsx';
import { useBundle, useEnvironmentParam, useHistory } from './use-policy.ts';

const Code = lazy(() => import('../parts/code.tsx'));

export function DiffPage(): ReactNode {
  const { than } = useSearchParams();
  const other = ENVIRONMENTS.find((each) => each === than);
  return (
    <PolicyFrame title="Diff">{other === undefined ? <OfDeployments /> : <OfEnvironments than={other} />}</PolicyFrame>
  );
}

/** Compares the active policies of two environments. */
function OfEnvironments({ than }: { readonly than: Environment }): ReactNode {
  const env = useEnvironmentParam();
  const client = useQueryClient();
  const [here, there] = [useBundle(env), useBundle(than)];
  const files = {
    data: here.data === undefined || there.data === undefined ? undefined : [here.data.files, there.data.files],
    error: here.error ?? there.error,
    refetch: () => client.invalidateQueries({ queryKey: ['bundle'] }),
  };
  return (
    <>
      <p>
        Changes from the policy in force in {env} to the policy in force in {than}.
      </p>
      <RuleChanges env={env} than={than} />
      <Part what="the files" query={files} height={320}>
        {([was = [], is = []]) => <Files before={was} after={is} />}
      </Part>
    </>
  );
}

function OfDeployments(): ReactNode {
  const env = useEnvironmentParam();
  const search = useSearchParams();
  const client = useQueryClient();
  const history = useHistory(env);
  const numbers = history.data?.map(({ number }) => number) ?? [];
  const to = Number(search['is'] ?? numbers[0] ?? 0);
  const from = Number(search['was'] ?? to - 1);
  // Numbers that the URL does not contain are unknown until the history is loaded.
  const isKnown = to > 0 && from > 0;
  const [before, after] = [useBundle(env, from, isKnown), useBundle(env, to, isKnown)];
  const files = {
    data: before.data === undefined || after.data === undefined ? undefined : [before.data.files, after.data.files],
    error: before.error ?? after.error,
    refetch: () => client.invalidateQueries({ queryKey: ['bundle', env] }),
  };
  return (
    <>
      <Part what="the history" query={history} height={30}>
        {() =>
          numbers.length === 0 ? (
            <Empty>Nothing was deployed to {env} yet, so there is nothing to compare.</Empty>
          ) : (
            <>
              {numbers.length === 1 && (
                <Empty>There is only one deployment, so there is no earlier one to compare with.</Empty>
              )}
              <div className="line">
                <NumberChoice name="was" value={from} numbers={numbers} label="From" />
                <NumberChoice name="is" value={to} numbers={numbers} label="to" />
                <OlderDeployments history={history} />
              </div>
            </>
          )
        }
      </Part>
      {isKnown && (
        <>
          <RuleChanges env={env} from={from} to={to} />
          <Part what="the files" query={files} height={320}>
            {([was = [], is = []]) => <Files before={was} after={is} />}
          </Part>
        </>
      )}
    </>
  );
}

interface NumberChoiceProps {
  /** The parameter of the URL. */
  readonly name: 'was' | 'is';
  readonly value: number;
  /** The numbers of the loaded deployments. */
  readonly numbers: readonly number[];
  readonly label: string;
}

function NumberChoice({ name, value, numbers, label }: NumberChoiceProps): ReactNode {
  const setSearch = useSetSearch();
  return (
    <label className="line tight meta">
      {label}
      <select className="input small" value={value} onChange={(event) => setSearch({ [name]: event.target.value })}>
        {/* A link may name a deployment that is older than the loaded ones. */}
        {(value === 0 || numbers.includes(value) ? numbers : [...numbers, value]).map((number) => (
          <option key={number} value={number}>
            #{number}
          </option>
        ))}
      </select>
    </label>
  );
}

type File = { readonly path: string; readonly text: string };

function Files({ before, after }: { readonly before: readonly File[]; readonly after: readonly File[] }): ReactNode {
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].sort();
  const text = (files: readonly File[], path: string): string => files.find((file) => file.path === path)?.text ?? '';
  const changed = paths.filter((path) => text(before, path) !== text(after, path));
  const { total, at, move, drawn } = useChanges(changed);
  usePageKeys({ n: () => move(1), p: () => move(-1) });
  if (changed.length === 0) return <p className="dim">The files are the same.</p>;
  return (
    <div className="stack wide">
      <div className="line">
        <button type="button" className="button" aria-keyshortcuts="p" onClick={() => move(-1)}>
          Previous change
        </button>
        <button type="button" className="button" aria-keyshortcuts="n" onClick={() => move(1)}>
          Next change
        </button>
        <span role="status" className="meta tab-nums">
          {at !== null && `Change ${count(at + 1)} of ${count(total)}`}
        </span>
      </div>
      {changed.map((path) => (
        <section key={path} className="block">
          <h2 className="mono">
            <FilePath path={path} />
          </h2>
          <Suspense fallback={<Skeleton height={240} />}>
            <Code
              text={text(after, path)}
              before={text(before, path)}
              label={`Changes of ${visiblePath(path)}`}
              drawn={(changes) => drawn(path, changes)}
            />
          </Suspense>
        </section>
      ))}
    </div>
  );
}

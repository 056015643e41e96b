/** The selection of the policy for the playground: the active one, a deployment, or a bundle from a file. */
import { useRef, type ReactNode } from 'react';
import type { Environment } from '../api/types.ts';
import { visible } from '../parts/text.tsx';
import { judgeWords, type BundleFile, type Judge } from './playground-call.ts';
import { useDeployments } from './use-policy.ts';

interface PickerProps {
  readonly env: Environment;
  readonly label: string;
  /** Null: no policy, if the choice is optional. */
  readonly judge: Judge | null;
  readonly change: (judge: Judge | null) => void;
  readonly refuse: (problem: string) => void;
  readonly isOptional?: boolean;
}

const FILE = 'file';
const CHOSEN = 'chosen file';
const NONE = 'none';

export function JudgePicker({ env, label, judge, change, refuse, isOptional = false }: PickerProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const numbers = useDeployments(env).data?.data.map(({ number }) => number) ?? [];
  const choose = (value: string): void => {
    if (value === FILE) input.current?.click();
    else if (value === NONE) change(null);
    else if (value !== CHOSEN) change(value === 'force' ? 'force' : Number(value));
  };
  const take = (file: File | undefined): void => {
    if (file === undefined) return;
    readBundle(file).then(change, () => refuse(noBundle(file)));
  };
  return (
    <label className="line tight meta">
      {label}
      <select
        className="input small"
        value={judge === null ? NONE : typeof judge === 'object' ? CHOSEN : String(judge)}
        onChange={(event) => choose(event.target.value)}
      >
        {isOptional && <option value={NONE}>nothing</option>}
        <option value="force">in force</option>
        {typeof judge === 'number' && judge > 0 && !numbers.includes(judge) && <option value={judge}>#{judge}</option>}
        {numbers.map((number) => (
          <option key={number} value={number}>
            #{number}
          </option>
        ))}
        <option value="0">policies folder</option>
        {typeof judge === 'object' && judge !== null && <option value={CHOSEN}>{visible(judgeWords(judge))}</option>}
        <option value={FILE}>a bundle file…</option>
      </select>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={`${label}: bundle file`}
        accept=".json,application/json"
        onChange={({ target }) => {
          take(target.files?.[0]);
          target.value = '';
        }}
      />
    </label>
  );
}

export const noBundle = (file: File): string => `${visible(file.name)} is not a bundle: create one with weir build.`;

/** @throws {Error} if the file does not contain a JSON object */
export async function readBundle(file: File): Promise<BundleFile> {
  return bundleOf(file.name, await file.text());
}

function bundleOf(name: string, text: string): BundleFile {
  const bundle: unknown = JSON.parse(text);
  if (typeof bundle !== 'object' || bundle === null || Array.isArray(bundle)) throw new Error('no bundle');
  return { name, bundle };
}

/** The pasted bundle; undefined for any other text, which is pasted into the field as usual. */
export function pastedBundle(text: string): BundleFile | undefined {
  if (!text.trimStart().startsWith('{') || !text.includes('"weir/bundle/')) return undefined;
  try {
    return bundleOf('pasted bundle', text);
  } catch {
    return undefined;
  }
}

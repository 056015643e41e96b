/** The policies that judge in the playground: one, and optionally a second one to compare with. */
import { useEffect, useState, type ClipboardEvent, type DragEvent } from 'react';
import type { Environment } from '../api/types.ts';
import { noBundle, pastedBundle, readBundle } from './judge-picker.tsx';
import { inOtherEnvironment, type Judge } from './playground-call.ts';

export interface Judges {
  readonly judge: Judge;
  readonly setJudge: (judge: Judge) => void;
  /** The policy to compare with; null: none. */
  readonly other: Judge | null;
  readonly setOther: (judge: Judge | null) => void;
  /** Why the chosen file cannot be used as a policy. */
  readonly problem: string | null;
  readonly setProblem: (problem: string | null) => void;
}

/** The chosen policies; deployments of one environment are not kept for another one. */
export function useJudges(env: Environment): Judges {
  const [judge, setJudge] = useState<Judge>('force');
  const [other, setOther] = useState<Judge | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    setJudge((before) => inOtherEnvironment(before) ?? 'force');
    setOther(inOtherEnvironment);
  }, [env]);
  return { judge, setJudge, other, setOther, problem, setProblem };
}

/** The properties of a form into which a bundle can be dropped or pasted: it becomes the policy that judges. */
export function takingBundles({ setJudge, setProblem }: Judges) {
  const take = (bundle: Judge): void => {
    setProblem(null);
    setJudge(bundle);
  };
  return {
    onDragOver: (event: DragEvent): void => {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault();
    },
    onDrop: (event: DragEvent): void => {
      const file = event.dataTransfer.files[0];
      if (file === undefined) return;
      event.preventDefault();
      readBundle(file).then(take, () => setProblem(noBundle(file)));
    },
    onPaste: (event: ClipboardEvent): void => {
      const bundle = pastedBundle(event.clipboardData.getData('text/plain'));
      if (bundle === undefined) return;
      event.preventDefault();
      take(bundle);
    },
  };
}

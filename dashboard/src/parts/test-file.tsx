/** A file of tests that a person may download. */
import { useEffect, useState, type ReactNode } from 'react';
import { CopyButton } from './small.tsx';

interface TestFileProps {
  readonly path: string;
  readonly yaml: string;
  /** Further buttons after the download. */
  readonly children?: ReactNode;
}

export function TestFile({ path, yaml, children }: TestFileProps): ReactNode {
  const [href, setHref] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([yaml], { type: 'application/yaml' }));
    setHref(made);
    return () => URL.revokeObjectURL(made);
  }, [yaml]);
  return (
    <>
      <p className="mono">{path}</p>
      <pre className="snippet tall" tabIndex={0}>
        {yaml}
      </pre>
      <div className="line">
        <CopyButton text={yaml}>Copy</CopyButton>
        <a className="button" download={path.split('/').at(-1)} href={href}>
          Download
        </a>
        {children}
      </div>
    </>
  );
}

/** A secret that is shown once: it exists only in this component and is discarded with it. */
import { useEffect, useState, type ReactNode } from 'react';
import { Icon } from './icons.tsx';

interface SecretProps {
  readonly secret: string;
  readonly label: string;
  readonly variable: string;
  readonly copied: () => void;
  readonly forget: () => void;
}

const KEPT_MS = 600_000;

export function Secret({ secret, label, variable, copied, forget }: SecretProps): ReactNode {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(forget, KEPT_MS);
    return () => window.clearTimeout(timer);
  }, [forget]);
  const taken = (): void => {
    setCopied(true);
    copied();
  };
  const download = (): void => {
    const url = URL.createObjectURL(new Blob([`${variable}=${secret}\n`], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = '.env';
    link.click();
    URL.revokeObjectURL(url);
    taken();
  };
  return (
    <div className="secret frame">
      <label className="field">
        <span>{label}</span>
        <input
          className="input mono"
          readOnly
          autoComplete="off"
          data-1p-ignore=""
          spellCheck={false}
          value={secret}
          onFocus={(event) => event.target.select()}
        />
      </label>
      <div className="line">
        <button
          type="button"
          className="button primary"
          onClick={() => void navigator.clipboard.writeText(secret).then(taken)}
        >
          <Icon name={isCopied ? 'check' : 'copy'} />
          {isCopied ? 'Copied' : 'Copy'}
        </button>
        <button type="button" className="button" onClick={download}>
          Download .env
        </button>
        <span className="hint">Shown once. Weir stores only its hash.</span>
      </div>
    </div>
  );
}

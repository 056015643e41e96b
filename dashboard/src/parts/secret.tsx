/** A secret that is shown once: it exists only in this component and is discarded with it. */
import { useBlocker, type ShouldBlockFn } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { COPY_WORDS, useCopying } from './copying.ts';
import Dialog from './dialog.tsx';
import { Icon } from './icons.tsx';

interface SecretProps {
  readonly secret: string;
  readonly label: string;
  readonly variable: string;
  /** Called after the secret was copied or downloaded, or when the user says so. */
  readonly stored: (isStored: boolean) => void;
  readonly forget: () => void;
}

const KEPT_MS = 600_000;

export function Secret({ secret, label, variable, stored, forget }: SecretProps): ReactNode {
  const [isTaken, setTaken] = useState(false);
  const { result, copy } = useCopying(secret);
  useForgetting(forget);
  const taken = (): void => {
    setTaken(true);
    stored(true);
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
          onClick={() => {
            void copy().then((done) => {
              if (done === 'copied') taken();
            });
          }}
        >
          <Icon name={result === 'copied' ? 'check' : 'copy'} />
          {result === null ? 'Copy' : COPY_WORDS[result]}
        </button>
        <button
          type="button"
          className="button"
          onClick={() => {
            download(`${variable}=${secret}\n`);
            taken();
          }}
        >
          Download .env
        </button>
        <span className="hint">Shown once. Weir stores only its hash.</span>
      </div>
      <label className="line tight">
        <input type="checkbox" onChange={(event) => stored(event.target.checked || isTaken)} />I have stored it
      </label>
    </div>
  );
}

/** Discards the secret after a while, and when the page is left. */
function useForgetting(forget: () => void): void {
  const end = useRef(forget);
  end.current = forget;
  useEffect(() => {
    const timer = window.setTimeout(() => end.current(), KEPT_MS);
    // The browser may keep the left page in memory and show it again as it was.
    const leave = (): void => flushSync(() => end.current());
    window.addEventListener('pagehide', leave);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener('pagehide', leave);
    };
  }, []);
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = '.env';
  link.click();
  URL.revokeObjectURL(url);
}

/** Changes of the search, such as the environment, keep the page and its secret. */
const isOtherPage: ShouldBlockFn = ({ current, next }) => current.pathname !== next.pathname;

interface AskBeforeLeavingProps {
  readonly word: 'key' | 'token';
  /** Whether a secret would be lost with the page. */
  readonly isAtRisk: boolean;
}

/** Asks before the page with a secret that nobody has stored is left. */
export function AskBeforeLeaving({ word, isAtRisk }: AskBeforeLeavingProps): ReactNode {
  const leaving = useBlocker({
    shouldBlockFn: isOtherPage,
    enableBeforeUnload: true,
    disabled: !isAtRisk,
    withResolver: true,
  });
  if (leaving.status !== 'blocked') return null;
  return (
    <Dialog title={`You have not copied the ${word}`} close={leaving.reset} size={420}>
      <div className="stack">
        <p>It is shown only here and only once. If you leave this page, it is lost.</p>
        <div className="line">
          <button type="button" className="button primary" data-autofocus onClick={leaving.reset}>
            Stay
          </button>
          <button type="button" className="button danger" onClick={leaving.proceed}>
            Leave without the {word}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

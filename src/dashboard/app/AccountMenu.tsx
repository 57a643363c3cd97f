import { words } from '#words/shell.js';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { lazy } from '../lib/lazy.js';
import classes from './AccountMenu.module.css';
import { useViewer } from '../session/viewer.js';

// Loaded when it is first opened, because most visits never open it.
const Panel = lazy(() => import('./AccountPanel.js'));

/** The user's initials, which open name, appearance and sign-out. */
export function AccountMenu() {
  const { name, email } = useViewer();
  const { pathname } = useLocation();
  const [openAt, setOpenAt] = useState<string>();
  // Navigating closes it.
  const open = openAt === pathname;
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!open) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      setOpenAt(undefined);
      button.current?.focus();
    };
    // Also when the focus moves on by Tab, so that it never lies over what is used next.
    const onElsewhere = (event: Event): void => {
      if (event.target instanceof Node && !menu.current?.contains(event.target)) setOpenAt(undefined);
    };
    addEventListener('keydown', onKey);
    addEventListener('pointerdown', onElsewhere);
    addEventListener('focusin', onElsewhere);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener('pointerdown', onElsewhere);
      removeEventListener('focusin', onElsewhere);
    };
  }, [open]);

  return (
    <div className={classes['menu']} ref={menu}>
      <button
        ref={button}
        type="button"
        className={classes['button']}
        aria-expanded={open}
        aria-controls="account-panel"
        onClick={() => setOpenAt(open ? undefined : pathname)}
      >
        <span aria-hidden="true">{initials(name || email)}</span>
        <span className="visually-hidden">{words.accountMenu.open(name || email)}</span>
      </button>
      <div id="account-panel" className={classes['panel']} hidden={!open}>
        {open ? (
          <Suspense fallback={null}>
            <Panel />
          </Suspense>
        ) : null}
      </div>
    </div>
  );
}

/** "AR" for Asha Rao: the first characters of the first and the last word, in any script. */
function initials(name: string): string {
  const parts = name.split(/[\s@]+/u).filter((part) => /[\p{L}\p{N}]/u.test(part));
  const shown = parts.length > 1 && !name.includes('@') ? [parts[0], parts.at(-1)] : parts.slice(0, 1);
  return shown
    .map((part) => part?.match(/[\p{L}\p{N}]\p{M}*/u)?.[0] ?? '')
    .join('')
    .toLocaleUpperCase();
}

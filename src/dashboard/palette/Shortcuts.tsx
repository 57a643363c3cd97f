import { words } from '#words/shell.js';
import { UnstyledButton } from '@mantine/core';
import { Suspense, useEffectEvent, useLayoutEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { useIsReadOnly } from '../session/viewer.js';
import { lazy } from '../lib/lazy.js';
import { Icon } from '../parts/Icon.js';
import { isApple, shortcutOf } from './keys.js';
import classes from './Palette.module.css';

const Palette = lazy(() => import('./Palette.js'));
const ShortcutsDialog = lazy(() => import('./ShortcutsDialog.js'));

/** The search button, and the keyboard shortcuts of every page. The dialogs' code is loaded when they are opened. */
export function Shortcuts() {
  const isReadOnly = useIsReadOnly();
  const navigate = useNavigate();
  const [shown, setShown] = useState<'palette' | 'shortcuts'>();
  const close = (): void => setShown(undefined);

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const shortcut = shortcutOf(event, shown === 'palette');
    if (shortcut === undefined || (shortcut === 'upload' && isReadOnly)) return;
    event.preventDefault();
    if (shortcut === 'upload') void navigate('/upload');
    else if (shortcut === 'help') setShown('shortcuts');
    else if (shortcut === 'find' && focusSearch()) return;
    else setShown(shown === 'palette' ? undefined : 'palette');
  });
  // Before the page is painted: once the button is visible, its keys work.
  useLayoutEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return (
    <>
      <UnstyledButton
        className={classes['trigger'] ?? ''}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setShown('palette')}
      >
        <Icon name="search" size={17} />
        <span>{words.shell.search}</span>
        <kbd aria-hidden="true">{isApple ? words.shell.searchKeysOnApple : words.shell.searchKeys}</kbd>
      </UnstyledButton>
      <Suspense fallback={null}>
        {shown === 'palette' ? <Palette onClose={close} onShortcuts={() => setShown('shortcuts')} /> : null}
        {shown === 'shortcuts' ? <ShortcutsDialog onClose={close} /> : null}
      </Suspense>
    </>
  );
}

/** Puts the focus into the search field of the page. False if the page has none. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  field?.focus();
  field?.select();
  return field !== null;
}

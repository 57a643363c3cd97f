import { words } from '#words/parts.js';
import { Group, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { isDialogOpen } from '../lib/freeKeys.js';
import { painted } from '../lib/painted.js';
import classes from './PageHead.module.css';

interface Props {
  readonly title: string;
  /** The title as it is drawn, where that is not plain text. */
  readonly heading?: ReactNode;
  /** Which part of the page is shown: only the tab's title says so. */
  readonly part?: string | undefined;
  /** One line under the title. */
  readonly note?: ReactNode;
  /** Buttons, at the end of the line. */
  readonly children?: ReactNode;
}

/** The head of a page. Sets the tab's title, and takes the focus, so that a screen reader announces the new page. */
export function PageHead({ title, heading = title, part, note, children }: Props) {
  const element = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = words.pageHead.dhara(part === undefined ? title : `${part} · ${title}`);
  }, [title, part]);
  useEffect(() => {
    const focus = (): void => element.current?.focus({ preventScroll: true });
    void painted().then(() => {
      if (document.activeElement === document.body) focus();
    });
    return onFocusLost(focus);
  }, []);

  return (
    <Group justify="space-between" align="flex-start" gap="sm" mb="lg" wrap="wrap">
      <div className={classes['words']}>
        <Title order={1} ref={element} tabIndex={-1} className={classes['title']}>
          {heading}
        </Title>
        {note ? <div className={classes['note']}>{note}</div> : null}
      </div>
      <Group gap="xs">{children}</Group>
    </Group>
  );
}

/** Tells when what had the focus is removed, such as a button by its own press. Returns a function that ends it. */
function onFocusLost(act: () => void): () => void {
  let focused: Node | undefined;
  const note = ({ target }: FocusEvent): void => {
    focused = target as Node;
  };
  const observer = new MutationObserver(() => {
    if (!focused || focused.isConnected) return;
    focused = undefined;
    // A dialog keeps the Tab key inside only while it has the focus.
    if (document.activeElement === document.body && !isDialogOpen()) act();
  });
  addEventListener('focusin', note);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    removeEventListener('focusin', note);
    observer.disconnect();
  };
}

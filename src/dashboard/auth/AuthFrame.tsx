import { words } from '#words/parts.js';
import { Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { Logo } from '../parts/Logo.js';
import classes from './AuthFrame.module.css';

interface Props {
  readonly title: string;
  readonly note?: ReactNode;
  readonly children: ReactNode;
  /** Below the panel: the alternative, such as sign-up. */
  readonly foot?: ReactNode;
}

/** The frame of the pages in front of the sign-in. */
export function AuthFrame({ title, note, children, foot }: Props) {
  useEffect(() => {
    document.title = words.authFrame.dhara(title);
  }, [title]);

  return (
    <main className={classes['frame']}>
      <Logo size={32} />
      <section className={`panel ${classes['panel']}`}>
        <Title order={1}>{title}</Title>
        {note ? <p className={classes['note']}>{note}</p> : null}
        {children}
      </section>
      {foot ? <p className={classes['foot']}>{foot}</p> : null}
    </main>
  );
}

import { words } from '#words/parts.js';
import { Button } from '@mantine/core';
import { Suspense, type ReactNode } from 'react';
import { Link } from 'react-router';
import { Logo } from '../parts/Logo.js';
import { PageLoading } from '../parts/States.js';
import classes from './PublicFrame.module.css';

/** Frame of public pages, for visitors who are not signed in. */
export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <>
      <a className="skip-link" href="#page">
        {words.publicFrame.skipContent}
      </a>
      <header className={classes['head']}>
        <Link to="/sign-in" className={classes['home']} aria-label={words.publicFrame.dharaSign}>
          <Logo size={26} />
        </Link>
        <Button component={Link} to="/sign-in" variant="default" size="xs">
          {words.publicFrame.sign}
        </Button>
      </header>
      <main className={classes['page']} id="page" tabIndex={-1}>
        <Suspense fallback={<PageLoading />}>{children}</Suspense>
      </main>
    </>
  );
}

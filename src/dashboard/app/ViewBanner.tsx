import { words } from '#words/ownerView.js';
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ViewerFieldsFragment } from '../generated/graphql.js';
import { showToast } from '../parts/toasts.js';
import shell from './Shell.module.css';
import { useEndView } from './useEndView.js';
import classes from './ViewBanner.module.css';
import { leaveFor } from '../session/view.js';
import { useViewer } from '../session/viewer.js';
import { lineOf } from '../session/failures.js';

const TICK_MS = 5_000;

/** At the top of every page while a member of staff looks at an account. At the end of its time, the page is left. */
export default function ViewBanner({ view: { secondsLeft } }: { view: NonNullable<ViewerFieldsFragment['view']> }) {
  const { email, account } = useViewer();
  const end = useEndView(account.id);
  const left = useSecondsLeft(secondsLeft);
  // It does not fit in the banner.
  useEffect(() => {
    if (end.error) showToast({ kind: 'bad', title: words.notEnded, message: lineOf(end.error) });
  }, [end.error]);
  return (
    <section className={`${shell['testBanner']} ${classes['banner']}`} aria-label={words.title}>
      <b className={classes['mode']}>{words.note}</b>
      <span className={classes['viewed']}>
        <b className="clip">{words.viewing(email)}</b> <span>{words.left(Math.ceil(left / 60))}</span>
      </span>
      <Button size="compact-sm" variant="white" color="dark" loading={end.busy} onClick={() => void end.run()}>
        {words.end}
      </Button>
    </section>
  );
}

/** Counts down by the time that passes here: the clocks of browsers are often wrong. */
function useSecondsLeft(given: number): number {
  const [endsAtMs] = useState(() => performance.now() + given * 1000);
  const [left, setLeft] = useState(given);
  useEffect(() => {
    const timer = setInterval(() => {
      const seconds = (endsAtMs - performance.now()) / 1000;
      setLeft(Math.max(0, seconds));
      if (seconds <= 0) leaveFor('/');
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [endsAtMs]);
  return left;
}

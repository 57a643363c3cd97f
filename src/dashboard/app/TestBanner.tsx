import { words } from '#words/shell.js';
import { Button } from '@mantine/core';
import { switchMode } from '../session/mode.js';
import classes from './Shell.module.css';

/** At the top of every page in test mode, wherever it is scrolled to. Live mode does not load it. */
export default function TestBanner() {
  return (
    <section className={classes['testBanner']} aria-label={words.testMode.title}>
      <span>
        <b>{words.testMode.title}</b> <span className={classes['testNote']}>{words.testMode.note}</span>
      </span>
      <Button size="compact-sm" variant="white" color="dark" onClick={() => switchMode('live', '/')}>
        {words.testMode.leave}
      </Button>
    </section>
  );
}

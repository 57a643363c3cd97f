import { words } from '#words/home.js';
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { HomeQuery } from '../generated/graphql.js';
import { showPerMonth } from '../lib/credits.js';
import { showBytes } from '../lib/format.js';
import classes from './HomePage.module.css';
import { SHORT_RUNWAY_DAYS, sayRunway } from '../lib/runway.js';

/** What is stored, what it costs, and how long it is funded. */
export function StoragePanel({ storage }: { storage: HomeQuery['storage'] }) {
  const { bytes, creditsPerDay, runwayDays, autoAllocate } = storage;
  const isShort = runwayDays !== null && runwayDays < SHORT_RUNWAY_DAYS;
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="storage-title">
      <div className={classes['cardHead']}>
        <h2 id="storage-title">{words.storagePanel.storage}</h2>
        <Button component={Link} to="/wallet" size="compact-sm" variant="subtle">
          {isShort ? remedyOf(autoAllocate) : words.storagePanel.details}
        </Button>
      </div>
      <p className={`${classes['figure']} num`}>{showBytes(bytes)}</p>
      <p className={classes['runway']} data-short={isShort || undefined}>
        {sayRunway(runwayDays)}.
      </p>
      {runwayDays === null ? null : (
        <p className={`${classes['small']} num`}>
          {words.storagePanel.creditsMonthFromCloud(showPerMonth(creditsPerDay), autoAllocate)}
        </p>
      )}
    </section>
  );
}

/** What helps: with automatic allocation, Master already pays for what Cloud lacks. */
export function remedyOf(isAutomatic: boolean): string {
  return isAutomatic ? words.storagePanel.addCredits : words.storagePanel.moveCreditsCloud;
}

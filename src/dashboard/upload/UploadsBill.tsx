import { Button, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { VideoRowFragment } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import type { Quotes } from '../videos/useQuotes.js';
import classes from './UploadsBill.module.css';

const ProcessDialog = lazy(() => import('../videos/ProcessDialog.js'));

/** What the uploads cost together: those that wait for a yes, and those that are being processed. */
export function UploadsBill({ videos, quotes }: { videos: readonly VideoRowFragment[]; quotes: Quotes }) {
  const [isOpen, setOpen] = useState(false);
  const { priced, total, isComplete } = quotes;
  const running = videos.filter(({ status }) => status === 'QUEUED' || status === 'PROCESSING');
  const setAside = running.reduce((micros, { processing }) => micros + microsOf(processing?.price ?? '0'), 0n);
  if (priced.length < 2 && running.length < 2 && !isOpen) return null;

  return (
    <div className={`panel ${classes['bill']}`} role="group" aria-label="What they cost together">
      <div>
        {priced.length > 0 ? (
          <Text size="sm" className="num" role="status">
            {priced.length === 1 ? '1 file waits' : `${priced.length} files wait`} for your yes:{' '}
            <b>{isComplete ? `${showCredits(total)} credits` : 'asking for the prices'}</b>
            {isComplete && priced.length > 1 ? ' in all' : ''}
          </Text>
        ) : null}
        {running.length > 0 ? (
          <Text size="sm" c="dimmed" className="num">
            {running.length === 1 ? '1 file is' : `${running.length} files are`} being processed:{' '}
            {showCredits(toCredits(setAside))} credits set aside
          </Text>
        ) : null}
      </div>
      {priced.length > 1 ? (
        <Button size="xs" onClick={() => setOpen(true)}>
          Process all {priced.length}
        </Button>
      ) : null}
      {isOpen ? (
        <Suspense fallback={null}>
          <ProcessDialog videos={priced.map(({ video }) => video)} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

import { words } from '#words/upload.js';
import { Button, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import type { VideoRowFragment } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import { lazy } from '../lib/lazy.js';
import type { Quotes } from '../processing/useQuotes.js';
import { isInProgress } from '../lib/videoStates.js';
import classes from './UploadsBill.module.css';

const ProcessDialog = lazy(() => import('../processing/ProcessDialog.js'));

/** The total price of the uploads: those that await approval, and those being processed. */
export function UploadsBill({ videos, quotes }: { videos: readonly VideoRowFragment[]; quotes: Quotes }) {
  const [isOpen, setOpen] = useState(false);
  const { priced, total, isComplete } = quotes;
  const running = videos.filter(isInProgress);
  const setAside = running.reduce((micros, { processing }) => micros + microsOf(processing?.price ?? '0'), 0n);
  if (priced.length < 2 && running.length < 2 && !isOpen) return null;

  return (
    <div className={`panel ${classes['bill']}`} role="group" aria-label={words.uploadsBill.totalCost}>
      <div>
        {priced.length > 0 ? (
          <Text size="sm" className="num" role="status">
            {words.uploadsBill.yes(
              priced.length,
              <b>{isComplete ? words.uploadsBill.credits(showCredits(total)) : words.uploadsBill.gettingPrices}</b>,
              isComplete && priced.length > 1,
            )}
          </Text>
        ) : null}
        {running.length > 0 ? (
          <Text size="sm" c="dimmed" className="num">
            {words.uploadsBill.beingProcessedCreditsSet(running.length, showCredits(toCredits(setAside)))}
          </Text>
        ) : null}
      </div>
      {priced.length > 1 ? (
        <Button size="xs" onClick={() => setOpen(true)}>
          {words.uploadsBill.processAll(priced.length)}
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

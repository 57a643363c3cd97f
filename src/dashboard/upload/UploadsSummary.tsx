import { words } from '#words/upload.js';
import { Button, Group } from '@mantine/core';
import { showBytes, showTimeLeft } from '../lib/format.js';
import classes from './UploadsSummary.module.css';
import type { UploadItem } from './types.js';
import type { UploadQueue } from './UploadQueue.js';

/** All uploads in one line, with actions for all of them. */
export function UploadsSummary({ items, queue }: { items: readonly UploadItem[]; queue: UploadQueue }) {
  const open = items.filter(({ state }) => state === 'sending' || state === 'waiting' || state === 'paused');
  const moving = open.filter(({ state }) => state !== 'paused');
  const done = items.filter(({ state }) => state === 'done');

  return (
    <div className={classes['line']}>
      <h2 id="uploads-title">{words.uploadsSummary.uploads}</h2>
      <span className={`${classes['facts']} num`}>{showAll(open, done.length)}</span>
      <Group gap={6} className={classes['actions'] ?? ''}>
        {moving.length > 1 ? (
          <Button size="compact-sm" variant="default" onClick={() => queue.pauseAll()}>
            {words.uploadsSummary.pauseAll}
          </Button>
        ) : null}
        {open.length - moving.length > 1 ? (
          <Button size="compact-sm" variant="default" onClick={() => queue.resumeAll()}>
            {words.uploadsSummary.resumeAll}
          </Button>
        ) : null}
        {done.length > 1 ? (
          <Button size="compact-sm" variant="default" onClick={() => queue.clearDone()}>
            {words.uploadsSummary.clearFinished}
          </Button>
        ) : null}
      </Group>
    </div>
  );
}

function showAll(open: readonly UploadItem[], done: number): string {
  if (open.length === 0) return done > 0 ? words.uploadsSummary.filesUploaded(done) : '';
  const left = open.reduce((sum, { sizeBytes, sentBytes }) => sum + sizeBytes - sentBytes, 0);
  const speed = open.reduce((sum, { bytesPerSecond }) => sum + (bytesPerSecond ?? 0), 0);
  const parts = [words.uploadsSummary.go(open.length), showBytes(left)];
  if (speed > 0) parts.push(`${showBytes(speed)}/s`, showTimeLeft(left / speed));
  return parts.join(' · ');
}

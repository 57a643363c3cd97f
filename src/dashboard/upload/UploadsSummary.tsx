import { Button, Group } from '@mantine/core';
import { showBytes, showTimeLeft } from '../lib/format.js';
import classes from './UploadsSummary.module.css';
import type { UploadItem } from './types.js';
import type { UploadQueue } from './UploadQueue.js';

/** All uploads in one line, and what can be done with all of them. */
export function UploadsSummary({ items, queue }: { items: readonly UploadItem[]; queue: UploadQueue }) {
  const open = items.filter(({ state }) => state === 'sending' || state === 'waiting' || state === 'paused');
  const moving = open.filter(({ state }) => state !== 'paused');
  const done = items.filter(({ state }) => state === 'done');

  return (
    <div className={classes['line']}>
      <h2 id="uploads-title">Uploads</h2>
      <span className={`${classes['facts']} num`}>{showAll(open, done.length)}</span>
      <Group gap={6} className={classes['actions'] ?? ''}>
        {moving.length > 1 ? (
          <Button size="compact-sm" variant="default" onClick={() => queue.pauseAll()}>
            Pause all
          </Button>
        ) : null}
        {open.length - moving.length > 1 ? (
          <Button size="compact-sm" variant="default" onClick={() => queue.resumeAll()}>
            Resume all
          </Button>
        ) : null}
        {done.length > 1 ? (
          <Button size="compact-sm" variant="default" onClick={() => queue.clearDone()}>
            Clear finished
          </Button>
        ) : null}
      </Group>
    </div>
  );
}

function showAll(open: readonly UploadItem[], done: number): string {
  if (open.length === 0) return done === 1 ? '1 file is uploaded' : done > 1 ? `${done} files are uploaded` : '';
  const left = open.reduce((sum, { sizeBytes, sentBytes }) => sum + sizeBytes - sentBytes, 0);
  const speed = open.reduce((sum, { bytesPerSecond }) => sum + (bytesPerSecond ?? 0), 0);
  const parts = [`${open.length === 1 ? '1 file' : `${open.length} files`} to go`, showBytes(left)];
  if (speed > 0) parts.push(`${showBytes(speed)}/s`, showTimeLeft(left / speed));
  return parts.join(' · ');
}

import { words } from '#words/shell.js';
import { Progress } from '@mantine/core';
import { Link, useLocation } from 'react-router';
import classes from './UploadDock.module.css';
import { useUploads } from './useUploads.js';

/** The progress of all uploads, on every other page. */
export function UploadDock() {
  const { items } = useUploads();
  const { pathname } = useLocation();
  const open = items.filter(({ state }) => state === 'sending' || state === 'waiting' || state === 'paused');
  const lost = items.filter(({ state }) => state === 'lostFile');
  if (pathname === '/upload' || open.length + lost.length === 0) return null;

  const sent = open.reduce((sum, { sentBytes }) => sum + sentBytes, 0);
  const size = open.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const percent = size === 0 ? 0 : Math.floor((sent / size) * 100);
  return (
    <Link to="/upload" className={classes['dock']} data-at-bottom="uploads">
      {open.length > 0 ? (
        <>
          <span className="num">{words.uploadDock.uploading(open.length, percent)}</span>
          <Progress value={percent} size="sm" aria-label={words.uploadDock.allUploads} />
        </>
      ) : (
        <span>{words.uploadDock.interrupted(lost.length)}</span>
      )}
    </Link>
  );
}

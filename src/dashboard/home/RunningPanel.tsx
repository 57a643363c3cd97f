import { words } from '#words/runningPanel.js';
import { Link } from 'react-router';
import { ErrorState } from '../parts/States.js';
import { ProcessingProgress } from '../processing/ProcessingProgress.js';
import classes from './HomePage.module.css';
import type { RunningJobs } from './RunningJobs.js';

const SHOWN = 5;

/** Running jobs: progress, step, time left. */
export default function RunningPanel({ videos, count, queued, error, reload }: RunningJobs) {
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="running-title">
      <div className={classes['cardHead']}>
        <h2 id="running-title">{words.processing}</h2>
        {count > SHOWN ? (
          <span style={{ display: 'flex', gap: 12 }}>
            {count > queued ? (
              <Link to="/videos?status=PROCESSING" className={classes['quiet']}>
                {words.running(count - queued)}
              </Link>
            ) : null}
            {queued > 0 ? (
              <Link to="/videos?status=QUEUED" className={classes['quiet']}>
                {words.queued(queued)}
              </Link>
            ) : null}
          </span>
        ) : null}
      </div>
      {!videos && error ? <ErrorState error={error} onRetry={reload} /> : null}
      {videos && videos.length > 0 ? (
        <ul className={classes['jobs']}>
          {videos.slice(0, SHOWN).map((video) => (
            <li key={video.id}>
              <Link to={`/videos/${video.id}`} className={`${classes['job']} clip`}>
                {video.title}
              </Link>
              <ProcessingProgress video={video} detailed />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

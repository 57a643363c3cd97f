import { words } from '#words/home.js';
import { Link } from 'react-router';
import classes from './HomePage.module.css';
import type { Needs } from './useNeeds.js';

/** What only the owner can decide or mend, each with the way to it. */
export default function NeedsYou({ needs: { failed, moreFailed, open, short } }: { needs: Needs }) {
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="needs-title">
      <div className={classes['cardHead']}>
        <h2 id="needs-title">{words.needsYou.needsYou}</h2>
      </div>
      <ul className={classes['needs']}>
        {failed.map(({ id, title, failure }) => (
          <li key={id}>
            <Link to={`/videos/${id}`} className={classes['job']}>
              {words.needsYou.failed(title)}
            </Link>
            <span className={classes['small']}>{failure?.message}</span>
          </li>
        ))}
        {moreFailed > 0 ? (
          <li>
            <Link to="/videos?status=FAILED" className={classes['quiet']}>
              {words.needsYou.moreFailed(moreFailed)}
            </Link>
          </li>
        ) : null}
        {open.length > 0 ? (
          <li>
            <Link to={onlyOf(open)} className={classes['job']}>
              {words.needsYou.waitForApproval(open.length)}
            </Link>
            <span className={classes['small']}>{words.needsYou.seePrice}</span>
          </li>
        ) : null}
        {short.length > 0 ? (
          <li>
            <Link to="/wallet?add" className={classes['job']}>
              {words.needsYou.needCredits(short.length)}
            </Link>
            <span className={classes['small']}>{words.needsYou.continueByThemselves}</span>
          </li>
        ) : null}
      </ul>
    </section>
  );
}

/** The video itself if it is the only one, or the list. */
function onlyOf(videos: readonly { readonly id: string }[]): string {
  const [first, ...others] = videos;
  return first && others.length === 0 ? `/videos/${first.id}` : '/videos?status=UPLOADED';
}

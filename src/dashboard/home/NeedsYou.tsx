import { words } from '#words/home.js';
import { useQuery } from '@apollo/client/react';
import { Link } from 'react-router';
import { NeedsYouDocument } from '../generated/graphql.js';
import { isWaitingForQuote, needsCredits } from '../videos/words.js';
import classes from './HomePage.module.css';

/** What only the owner can decide or mend, each with the way to it; empty if there is nothing. */
export function NeedsYou() {
  const { data } = useQuery(NeedsYouDocument);
  if (!data) return null;
  const failed = data.failed.edges.map(({ node }) => node).filter(({ status }) => status === 'FAILED');
  const uploaded = data.uploaded.edges.map(({ node }) => node).filter(isWaitingForQuote);
  const short = uploaded.filter(needsCredits);
  const open = uploaded.filter((video) => !needsCredits(video) && (!video.autoProcess || video.failure !== null));
  const moreFailed = (data.failed.totalCount ?? 0) - failed.length;
  if (failed.length + short.length + open.length === 0) return null;

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

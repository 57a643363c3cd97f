import { words } from '#words/docs.js';
import { Link } from 'react-router';
import { CHAPTERS, type Chapter } from '../contents.js';
import classes from '../docs.module.css';

/** Links to the chapters before and after this one. */
export function Neighbors({ of }: { of: Chapter }) {
  const chapters: readonly Chapter[] = CHAPTERS;
  const at = chapters.findIndex(({ id }) => id === of.id);
  const [before, next] = at < 0 ? [] : [chapters[at - 1], chapters[at + 1]];
  if (!before && !next) return null;
  return (
    <nav className={classes['neighbors']} aria-label={words.otherChapters}>
      {before ? <Neighbor label={words.before} chapter={before} /> : <span />}
      {next ? <Neighbor label={words.next} chapter={next} /> : null}
    </nav>
  );
}

function Neighbor({ label, chapter: { path, title } }: { label: string; chapter: Chapter }) {
  return (
    <Link to={path} className="panel">
      <small>{label}</small>
      {title}
    </Link>
  );
}

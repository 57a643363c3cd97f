import { words } from '#words/docs.js';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { Link } from 'react-router';
import { EmptyState } from '../../parts/States.js';
import classes from '../docs.module.css';
import { findIn, type Passage, passagesOf } from './findIn.js';

interface Props {
  readonly search: string;
  /** All chapters. They are rendered out of sight, so that the search reads what readers read, without an index. */
  readonly children: ReactNode;
}

export function SearchResults({ search, children }: Props) {
  const [text] = useState(() => document.createElement('div'));
  const [passages, setPassages] = useState<readonly Passage[]>();
  useEffect(() => {
    const read = (): void => setPassages(passagesOf(text));
    read();
    // Two chapters load their content.
    const changes = new MutationObserver(read);
    changes.observe(text, { childList: true, subtree: true });
    return () => changes.disconnect();
  }, [text]);
  const hits = useMemo(() => passages && findIn(passages, search), [passages, search]);

  return (
    <section aria-label={words.search.results}>
      {createPortal(children, text)}
      <p role="status" className={hits?.length === 0 ? 'visually-hidden' : undefined}>
        {hits ? words.search.count(hits.length, search) : ''}
      </p>
      {hits?.length === 0 ? (
        <EmptyState icon="search" title={words.search.count(0, search)} advice={words.search.advice} />
      ) : null}
      <ul className={classes['hits']}>
        {hits?.map(({ to, chapter, title, around }) => (
          <li key={to}>
            <Link to={to}>{title === chapter ? title : `${chapter}: ${title}`}</Link>
            <p>
              {around.map(({ text: piece, isMatch }, at) =>
                isMatch ? <mark key={`${at}${piece}`}>{piece}</mark> : piece,
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

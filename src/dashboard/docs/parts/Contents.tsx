import { words } from '#words/docs.js';
import type { Chapter } from '../contents.js';
import classes from '../docs.module.css';
import { useChapterInView } from './useChapterInView.js';

interface Props {
  readonly chapters: readonly Chapter[];
  /** Collapsed above the text, if there is no room beside it. */
  readonly isShort?: boolean;
}

export function Contents({ chapters, isShort = false }: Props) {
  const current = useChapterInView(chapters);
  const links = (
    <ul>
      {chapters.map(({ id, title }) => (
        <li key={id}>
          <a href={`#${id}`} aria-current={!isShort && id === current ? 'location' : undefined}>
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
  return isShort ? (
    <details className={`panel ${classes['short']}`}>
      <summary>{words.onThisPage}</summary>
      {links}
    </details>
  ) : (
    <nav className={classes['toc']} aria-label={words.onThisPage}>
      <div className={classes['tocTitle']}>{words.onThisPage}</div>
      {links}
    </nav>
  );
}

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
      <summary>On this page</summary>
      {links}
    </details>
  ) : (
    <nav className={classes['toc']} aria-label="On this page">
      <div className={classes['tocTitle']}>On this page</div>
      {links}
    </nav>
  );
}

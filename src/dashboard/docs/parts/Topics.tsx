import { words } from '#words/docs.js';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { CHAPTERS, OPERATOR_CHAPTERS, type Chapter } from '../contents.js';
import classes from '../docs.module.css';

interface Props {
  readonly current: Chapter | undefined;
  /** Collapsed above the text, if it does not fit beside it. */
  readonly isShort?: boolean;
}

interface Part {
  readonly id: string;
  readonly title: string;
}

/** Links to all chapters, with the parts of the current one. */
export function Topics({ current, isShort = false }: Props) {
  const parts = useParts(current);
  const list = (chapters: readonly Chapter[]) => (
    <ul>
      {chapters.map(({ id, path, title }) => (
        <li key={id}>
          <Link to={path} aria-current={id === current?.id ? 'page' : undefined}>
            {title}
          </Link>
          {id === current?.id && parts.length > 0 ? (
            <ul>
              {parts.map((part) => (
                <li key={part.id}>
                  <a href={`#${part.id}`}>{part.title}</a>
                </li>
              ))}
            </ul>
          ) : null}
        </li>
      ))}
    </ul>
  );
  const all = (
    <>
      {list(CHAPTERS)}
      <div className={classes['tocTitle']}>{words.forOperators}</div>
      {list(OPERATOR_CHAPTERS)}
    </>
  );
  return isShort ? (
    <details className={`panel ${classes['short']}`} key={current?.id}>
      <summary>{words.topics}</summary>
      {all}
    </details>
  ) : (
    <nav className={classes['toc']} aria-label={words.topics}>
      <div className={classes['tocTitle']}>{words.topics}</div>
      {all}
    </nav>
  );
}

/** The headings below the chapter's own, as they are on the page. */
function useParts(chapter: Chapter | undefined): readonly Part[] {
  const [parts, setParts] = useState<readonly Part[]>([]);
  const known = useRef<string>(undefined);
  useEffect(() => {
    if (known.current === chapter?.id) return;
    known.current = chapter?.id;
    const headings = chapter ? document.querySelectorAll<HTMLElement>(`#${chapter.id} h3[id]`) : [];
    setParts([...headings].map(({ id, firstChild }) => ({ id, title: firstChild?.textContent ?? '' })));
  }, [chapter]);
  return parts;
}

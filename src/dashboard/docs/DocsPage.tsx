import { words } from '#words/docs.js';
import { Button } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState } from '../parts/States.js';
import { useScrollToHash } from '../parts/useScrollToHash.js';
import { ALL_CHAPTERS, type ChapterId, CHAPTERS, type Chapter } from './contents.js';
import classes from './docs.module.css';
import { LanguageProvider } from './parts/LanguageProvider.js';
import { SearchField } from './parts/SearchField.js';
import { SearchResults } from './parts/SearchResults.js';
import { Topics } from './parts/Topics.js';
import { Analytics } from './sections/Analytics.js';
import { Api } from './sections/Api.js';
import { Errors } from './sections/Errors.js';
import { Events } from './sections/Events.js';
import { Explain } from './sections/Explain.js';
import { GettingStarted } from './sections/GettingStarted.js';
import { Money } from './sections/Money.js';
import { Pictures } from './sections/Pictures.js';
import { Player } from './sections/Player.js';
import { TestMode } from './sections/TestMode.js';
import { Webhooks } from './sections/Webhooks.js';

const SECTIONS: Readonly<Record<ChapterId, ReactNode>> = {
  'getting-started': <GettingStarted />,
  api: <Api />,
  player: <Player />,
  explain: <Explain />,
  analytics: <Analytics />,
  pictures: <Pictures />,
  money: <Money />,
  events: <Events />,
  'test-mode': <TestMode />,
  errors: <Errors />,
  webhooks: <Webhooks />,
};

/**
 * The documentation, for owners and for the developers to whom they give a key: a page for each chapter. Readable without
 * signing in.
 */
export default function DocsPage() {
  const { pathname } = useLocation();
  const [parameters] = useSearchParams();
  const search = parameters.get('q')?.trim() ?? '';
  const chapter = ALL_CHAPTERS.find(({ path }) => path === pathname.replace(/\/$/, ''));
  useScrollToHash(search === '' ? chapter?.path : undefined);

  return (
    <>
      <PageHead title={words.title} part={chapter?.title} note={search ? undefined : chapter?.note}>
        <Button component="a" href="/docs/api" variant="default" rightSection={<Icon name="open" size={17} />}>
          {words.apiReference}
        </Button>
      </PageHead>
      <LanguageProvider>
        <div className={classes['layout']}>
          <div className={classes['text']}>
            <SearchField key={pathname} search={search} />
            {search ? (
              <SearchResults search={search}>
                {Object.entries(SECTIONS).map(([id, section]) => (
                  <Fragment key={id}>{section}</Fragment>
                ))}
              </SearchResults>
            ) : null}
            {!search && chapter ? (
              <>
                <Topics current={chapter} isShort />
                <Fragment key={chapter.id}>{SECTIONS[chapter.id]}</Fragment>
                <Neighbors of={chapter} />
              </>
            ) : null}
            {!search && !chapter ? (
              <EmptyState icon="search" title={words.noChapter} advice={words.noChapterAdvice} />
            ) : null}
          </div>
          <Topics current={search ? undefined : chapter} />
        </div>
      </LanguageProvider>
    </>
  );
}

/** Links to the chapters before and after this one. */
function Neighbors({ of }: { of: Chapter }) {
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

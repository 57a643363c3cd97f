import { words } from '#words/docs.js';
import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { CHAPTERS } from './contents.js';
import classes from './docs.module.css';
import { Contents } from './parts/Contents.js';
import { LanguageProvider } from './parts/LanguageProvider.js';
import { Analytics } from './sections/Analytics.js';
import { Api } from './sections/Api.js';
import { Errors } from './sections/Errors.js';
import { Events } from './sections/Events.js';
import { Explain } from './sections/Explain.js';
import { GettingStarted } from './sections/GettingStarted.js';
import { Money } from './sections/Money.js';
import { Pictures } from './sections/Pictures.js';
import { Player } from './sections/Player.js';
import { Webhooks } from './sections/Webhooks.js';

/** The documentation, for owners and for the developers to whom they give a key. Readable without signing in. */
export default function DocsPage() {
  useHash();
  return (
    <>
      <PageHead title={words.title} note={words.note}>
        <Button
          component="a"
          href="/docs/api"
          size="xs"
          variant="default"
          rightSection={<Icon name="open" size={15} />}
        >
          {words.apiReference}
        </Button>
      </PageHead>
      <LanguageProvider>
        <div className={classes['layout']}>
          <div className={classes['text']}>
            <Contents chapters={CHAPTERS} isShort />
            <GettingStarted />
            <Api />
            <Player />
            <Explain />
            <Analytics />
            <Pictures />
            <Money />
            <Events />
            <Webhooks />
            <Errors />
          </div>
          <Contents chapters={CHAPTERS} />
        </div>
      </LanguageProvider>
    </>
  );
}

/** Scrolls to the anchor in the address: the browser has stopped looking for it before the page's code is loaded. */
function useHash(): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (hash) document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView();
  }, [hash]);
}

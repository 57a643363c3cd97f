import { words } from '#words/events.js';
import { Button, NativeSelect } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { isTestMode } from '../session/mode.js';
import { EVENT_TYPES } from '../generated/eventTypes.js';
import type { EventType } from '../generated/graphql.js';
import { PageHead } from '../parts/PageHead.js';
import { EventList } from './EventList.js';
import classes from './EventsPage.module.css';
import { TestTools } from './TestTools.js';

const TYPES = Object.entries(EVENT_TYPES).map(([value, label]) => ({ value, label }));

/** The event log of the account. The filter is in the address, so that it can be shared. */
export default function EventsPage() {
  const [parameters, setParameters] = useSearchParams();
  const type = typeNamed(parameters.get('type'));

  function narrow(name: string): void {
    setParameters(name === '' ? {} : { type: EVENT_TYPES[name as EventType] }, { replace: true });
  }

  return (
    <>
      <PageHead title={words.title} note={words.note}>
        <Button component={Link} to="/docs/events" variant="default">
          {words.reference}
        </Button>
      </PageHead>
      {isTestMode ? <TestTools /> : null}
      <section className={`panel ${classes['panel']}`} aria-label={words.list}>
        <div className={classes['filters']}>
          <NativeSelect
            size="xs"
            aria-label={words.filter}
            value={type ?? ''}
            data={[{ value: '', label: words.allTypes }, ...TYPES]}
            onChange={(event) => narrow(event.currentTarget.value)}
          />
        </div>
        {/* Another filter is another list, with its own stream. */}
        <EventList key={type ?? ''} type={type} onShowAll={() => narrow('')} />
      </section>
    </>
  );
}

/** `video.ready` is VIDEO_READY in GraphQL. */
function typeNamed(name: string | null): EventType | undefined {
  return TYPES.find(({ label }) => label === name)?.value as EventType | undefined;
}

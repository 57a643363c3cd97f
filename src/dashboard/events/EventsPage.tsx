import { words } from '#words/events.js';
import { words as faultWords } from '#words/testFaults.js';
import { Button, NativeSelect } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { useMutation } from '@apollo/client/react';
import { isTestMode } from '../app/mode.js';
import { EVENT_TYPES } from '../generated/eventTypes.js';
import { type EventType, SimulatePaymentDisputeDocument } from '../generated/graphql.js';
import { PageHead } from '../parts/PageHead.js';
import { EventList } from './EventList.js';
import classes from './EventsPage.module.css';
import { lineOf } from '../app/words.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';

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
        {isTestMode ? <SimulateDispute /> : null}
        <Button component={Link} to="/docs/events" size="xs" variant="default">
          {words.reference}
        </Button>
      </PageHead>
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
        {/* Another filter is another list, with a stream of its own. */}
        <EventList key={type ?? ''} type={type} onShowAll={() => narrow('')} />
      </section>
    </>
  );
}

/** `video.ready` is VIDEO_READY in GraphQL. */
function typeNamed(name: string | null): EventType | undefined {
  return TYPES.find(({ label }) => label === name)?.value as EventType | undefined;
}

/** For test mode. */
function SimulateDispute() {
  const [simulate] = useMutation(SimulatePaymentDisputeDocument);
  const { run, busy } = useAction(async () => {
    try {
      await simulate();
      showToast({ kind: 'good', title: faultWords.disputed });
    } catch (error) {
      showToast({ kind: 'bad', title: faultWords.notDisputed, message: lineOf(error) });
    }
  });
  return (
    <Button size="xs" variant="default" loading={busy} onClick={() => void run()}>
      {faultWords.dispute}
    </Button>
  );
}

import { words } from '#words/testFaults.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { lineOf } from '../session/failures.js';
import {
  EndPaymentDisputeDocument,
  MoveTestClockDocument,
  SimulatePaymentDisputeDocument,
  type TestDisputeOutcome,
  TestToolsDocument,
} from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { showMoment } from '../lib/format.js';
import { Changes } from '../parts/Changes.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import classes from './EventsPage.module.css';

/** Seconds by which the clock can be moved here. Programs choose their own. */
const STEPS = [360, 3_600, 86_400, 3 * 86_400, 8 * 86_400];

/** For test mode: lets time pass, and simulates disputes of payments. Their events appear in the list below. */
export function TestTools() {
  const { data } = useQuery(TestToolsDocument, { fetchPolicy: 'cache-and-network' });
  const again = { refetchQueries: [TestToolsDocument] };
  const [move] = useMutation(MoveTestClockDocument, again);
  const [dispute] = useMutation(SimulatePaymentDisputeDocument, again);
  const [end] = useMutation(EndPaymentDisputeDocument, again);
  const [seconds, setSeconds] = useState(STEPS[0]!);
  const { run, busy } = useAction(async (act: () => Promise<unknown>, done: string) => {
    try {
      await act();
      showToast({ kind: 'good', title: done });
    } catch (error) {
      showToast({ kind: 'bad', title: words.failed, message: lineOf(error) });
    }
  });
  const wallet = data?.testWallet;
  const open = wallet?.payments.find((payment) => payment.dispute?.state === 'OPEN');
  const endIt = (paymentId: string, outcome: TestDisputeOutcome) =>
    run(() => end({ variables: { paymentId, outcome } }), words.ended[outcome]);

  return (
    <section className={`panel ${classes['tools']}`} aria-label={words.tools}>
      <div>
        <Text size="sm" c="dimmed">
          {data ? words.clock(showMoment(data.testClock.now)) : words.clockNote}
        </Text>
        <Changes>
          <Group align="flex-end" gap="xs">
            <NativeSelect
              size="xs"
              label={words.letPass}
              value={String(seconds)}
              data={STEPS.map((step, index) => ({ value: String(step), label: words.steps[index]! }))}
              onChange={(event) => setSeconds(Number(event.currentTarget.value))}
            />
            <Button
              size="xs"
              variant="default"
              loading={busy}
              onClick={() => void run(() => move({ variables: { seconds } }), words.moved)}
            >
              {words.move}
            </Button>
          </Group>
        </Changes>
      </div>
      <div>
        <Text size="sm" c="dimmed">
          {wallet
            ? words.wallet(showCredits(wallet.available), showCredits(wallet.disputeHold), showCredits(wallet.debt))
            : words.walletNote}
        </Text>
        <Changes>
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              loading={busy}
              onClick={() => void run(() => dispute(), words.disputed)}
            >
              {words.dispute}
            </Button>
            {open ? (
              <>
                <Button size="xs" variant="default" loading={busy} onClick={() => void endIt(open.id, 'WON')}>
                  {words.win}
                </Button>
                <Button size="xs" variant="default" loading={busy} onClick={() => void endIt(open.id, 'LOST')}>
                  {words.lose}
                </Button>
              </>
            ) : null}
          </Group>
        </Changes>
      </div>
    </section>
  );
}

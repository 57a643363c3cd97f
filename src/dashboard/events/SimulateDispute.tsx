import { words } from '#words/testFaults.js';
import { useMutation } from '@apollo/client/react';
import { Button } from '@mantine/core';
import { lineOf } from '../app/words.js';
import { SimulatePaymentDisputeDocument } from '../generated/graphql.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';

/** For test mode. */
export function SimulateDispute() {
  const [simulate] = useMutation(SimulatePaymentDisputeDocument);
  const { run, busy } = useAction(async () => {
    try {
      await simulate();
      showToast({ kind: 'good', title: words.disputed });
    } catch (error) {
      showToast({ kind: 'bad', title: words.notDisputed, message: lineOf(error) });
    }
  });
  return (
    <Button size="xs" variant="default" loading={busy} onClick={() => void run()}>
      {words.dispute}
    </Button>
  );
}

import { useMutation } from '@apollo/client/react';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { AllocateCreditsDocument, type WalletBalancesFragment } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import type { Quote } from './QuoteTable.js';

interface Props {
  /** What it costs, and what Creative lacks for it. */
  readonly quote: Pick<Quote, 'total' | 'missing'>;
  readonly wallet: WalletBalancesFragment;
  /** The credits are there now: the quote's `missing` is to be asked again. */
  readonly onMoved?: () => void;
}

/** What Creative has and lacks, and one click that moves it there from Master. */
export function MissingCredits({ quote, wallet, onMoved }: Props) {
  const [allocate] = useMutation(AllocateCreditsDocument);
  // One key for this dialog: a click repeated after a lost answer moves the credits once.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID());
  const move = useAction(async () => {
    await allocate({ variables: { from: 'MASTER', to: 'CREATIVE', amount: quote.missing, idempotencyKey } });
    setKey(crypto.randomUUID());
    onMoved?.();
  });

  if (quote.missing === '0') {
    return (
      <Text size="sm" c="dimmed" className="num">
        Creative has {showCredits(wallet.creative)} credits;{' '}
        {showCredits(toCredits(microsOf(wallet.creative) - microsOf(quote.total)))} are left afterwards.
      </Text>
    );
  }
  const affordable = microsOf(wallet.master) >= microsOf(quote.missing);
  return (
    <Alert color="yellow" title={`You need ${showCredits(quote.missing)} more credits`}>
      <Stack gap="sm" align="flex-start" className="num">
        <Text size="sm">
          Creative has {showCredits(wallet.creative)} credits, Master has {showCredits(wallet.master)}.
          {affordable ? '' : ' That is not enough together: add credits first.'}
        </Text>
        <Group>
          {affordable ? (
            <Button size="sm" loading={move.busy} onClick={() => void move.run()}>
              Move {showCredits(quote.missing)} from Master
            </Button>
          ) : (
            <Button component={Link} to="/wallet" size="sm">
              Add credits in the wallet
            </Button>
          )}
        </Group>
        <FormError error={move.error} />
      </Stack>
    </Alert>
  );
}

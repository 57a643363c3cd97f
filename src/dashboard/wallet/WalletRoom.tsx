import { useQuery } from '@apollo/client/react';
import { Skeleton, Stack } from '@mantine/core';
import { WalletDocument, type WalletBalancesFragment } from '../generated/graphql.js';
import { microsOf, showCredits } from '../lib/credits.js';
import { PageHead } from '../parts/PageHead.js';
import { ErrorState } from '../parts/States.js';
import { AllocateForm } from './AllocateForm.js';
import { Ledger } from './Ledger.js';
import classes from './WalletRoom.module.css';
import { BUCKETS } from './words.js';

export default function WalletRoom() {
  const { data, error, refetch } = useQuery(WalletDocument, { fetchPolicy: 'cache-and-network' });

  return (
    <>
      <PageHead title="Wallet" note="One credit is one rupee. Prepaid: nothing is charged that is not here." />
      {error && !data ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      <Stack gap="lg">
        {data ? <Balances wallet={data.wallet} /> : null}
        {!data && !error ? <Skeleton height={104} radius="lg" /> : null}
        {data ? <AllocateForm wallet={data.wallet} /> : null}
        <Ledger />
      </Stack>
    </>
  );
}

function Balances({ wallet }: { wallet: WalletBalancesFragment }) {
  const amounts = { MASTER: wallet.master, CREATIVE: wallet.creative, CLOUD: wallet.cloud, AI: wallet.ai };
  return (
    <dl className={`panel ${classes['balances']} num`}>
      {BUCKETS.map(({ value, label, pays }) => (
        <Balance key={value} label={label} note={pays} credits={amounts[value]} />
      ))}
      <Balance label="Set aside" note="For jobs that wait or run" credits={wallet.escrow} />
      {microsOf(wallet.debt) === 0n ? null : (
        <Balance label="Debt" note="No new job until it is paid" credits={wallet.debt} />
      )}
    </dl>
  );
}

function Balance({ label, note, credits }: { label: string; note: string; credits: string }) {
  const [whole, fraction] = showCredits(credits).split('.');
  return (
    <div className={classes['balance']}>
      <dt>{label}</dt>
      <dd>
        <span className={classes['amount']}>
          {whole}
          <small>.{fraction}</small>
        </span>
        <span className={classes['note']}>{note}</span>
      </dd>
    </div>
  );
}

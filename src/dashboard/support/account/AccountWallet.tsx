import { words } from '#words/supportAccount.js';
import { Button, Title } from '@mantine/core';
import { useState } from 'react';
import { useViewer } from '../../session/viewer.js';
import { microsOf, showCredits } from '../../lib/credits.js';
import { Facts } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import type { StaffAccount } from './staffAccount.js';
import { AdjustDialog } from './AdjustDialog.js';

export function AccountWallet({ account }: { account: StaffAccount }) {
  const [adjusting, setAdjusting] = useState(false);
  const isOwn = useViewer().account.id === account.id;
  const { master, creative, cloud, ai, escrow, debt } = account.wallet;
  const amount = (credits: string) => <b className="num">{showCredits(credits)}</b>;

  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="wallet-title">
      <div className={classes['cardHead']}>
        <Title order={2} id="wallet-title">
          {words.accountWallet.wallet}
        </Title>
        {isOwn ? null : (
          <Button size="xs" variant="default" onClick={() => setAdjusting(true)}>
            {words.accountWallet.adjust}
          </Button>
        )}
      </div>
      <Facts
        of={[
          [words.accountWallet.master, amount(master)],
          [words.accountWallet.creative, amount(creative)],
          [words.accountWallet.cloud, amount(cloud)],
          ['AI', amount(ai)],
          [words.accountWallet.setAside, amount(escrow)],
          [words.accountWallet.debt, microsOf(debt) === 0n ? null : amount(debt)],
        ]}
      />
      {isOwn ? <span className={classes['soft']}>{words.accountWallet.cantAdjustOwnWallet}</span> : null}
      <AdjustDialog account={account} opened={adjusting} onClose={() => setAdjusting(false)} />
    </section>
  );
}

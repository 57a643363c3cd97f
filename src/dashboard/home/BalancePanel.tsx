import { words } from '#words/home.js';
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { WalletBalancesFragment } from '../generated/graphql.js';
import { microsOf, showCredits, spendable } from '../lib/credits.js';
import classes from './HomePage.module.css';

const BUCKETS = [
  { key: 'master', name: words.balancePanel.master, use: words.balancePanel.unallocated },
  { key: 'creative', name: words.balancePanel.creative, use: words.balancePanel.paysProcessing },
  { key: 'cloud', name: words.balancePanel.cloud, use: words.balancePanel.paysStorage },
  { key: 'ai', name: words.balancePanel.ai, use: words.balancePanel.paysAiFeatures },
] as const;

/** Spendable credits, in total and per bucket. */
export function BalancePanel({ wallet }: { wallet: WalletBalancesFragment }) {
  const total = spendable(wallet);
  const setAside = microsOf(wallet.escrow) > 0n;
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="balance-title">
      <div className={classes['cardHead']}>
        <h2 id="balance-title">{words.balancePanel.credits}</h2>
        <Button component={Link} to="/wallet" size="compact-sm" variant="subtle">
          {words.balancePanel.wallet}
        </Button>
      </div>
      <p className={`${classes['figure']} num`}>{showCredits(total)}</p>
      <Shares wallet={wallet} total={total} />
      <dl className={`${classes['buckets']} num`}>
        {BUCKETS.map(({ key, name, use }) => (
          <div key={key}>
            <dt>
              <i data-bucket={key} aria-hidden="true" />
              {name} <small>{use}</small>
            </dt>
            <dd>{showCredits(wallet[key])}</dd>
          </div>
        ))}
        {setAside ? (
          <div>
            <dt>
              <i data-bucket="escrow" aria-hidden="true" />
              {words.balancePanel.setAside((text) => (
                <small>{text}</small>
              ))}
            </dt>
            <dd>{showCredits(wallet.escrow)}</dd>
          </div>
        ) : null}
      </dl>
    </section>
  );
}

/** The buckets as a bar, each as wide as its balance. The list below shows the numbers. */
function Shares({ wallet, total }: { wallet: WalletBalancesFragment; total: string }) {
  const whole = microsOf(total);
  return (
    <div className={classes['shares']} aria-hidden="true">
      {BUCKETS.map(({ key }) => {
        const part = microsOf(wallet[key]);
        if (whole <= 0n || part <= 0n) return null;
        return <span key={key} data-bucket={key} style={{ flexGrow: Number((part * 1000n) / whole) + 1 }} />;
      })}
    </div>
  );
}

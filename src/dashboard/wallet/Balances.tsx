import { words } from '#words/wallet.js';
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { StorageFactsFragment, WalletBalancesFragment } from '../generated/graphql.js';
import { sayRunway } from '../lib/runway.js';
import { microsOf, showCredits, spendable } from '../lib/credits.js';
import './buckets.css';
import classes from './Balances.module.css';
import { useAddCredits } from './addCredits.js';
import { BUCKETS, HELD } from './words.js';
import { Changes } from '../parts/Changes.js';

interface Props {
  readonly wallet: WalletBalancesFragment;
  readonly storage: StorageFactsFragment;
}

/** Spendable credits per bucket, and credits that are held. */
export function Balances({ wallet, storage }: Props) {
  const addCredits = useAddCredits();
  const total = spendable(wallet);
  const held = HELD.filter(({ key }) => microsOf(wallet[key]) !== 0n);
  const isEmpty = microsOf(total) === 0n;

  return (
    <section className={`panel ${classes['panel']}`} aria-labelledby="balance-title">
      <div className={classes['head']}>
        <div>
          <h2 id="balance-title">{words.balances.available}</h2>
          <p className={`${classes['total']} num`}>
            <Amount credits={total} />
            <span>{words.balances.credits}</span>
          </p>
          <p className={classes['note']}>{sayRunway(storage.runwayDays)}.</p>
        </div>
        {isEmpty ? (
          <p className={classes['start']}>
            {words.balances.addCreditsProcessVideos((text) => (
              <Changes>
                <Button size="compact-sm" variant="light" onClick={addCredits}>
                  {text}
                </Button>
              </Changes>
            ))}
          </p>
        ) : null}
      </div>
      <dl className={`${classes['buckets']} num`}>
        {BUCKETS.map(({ key, label, pays }) => (
          <div key={key}>
            <dt>
              <i data-bucket={key} aria-hidden="true" />
              {label}
            </dt>
            <dd>
              <b>
                <Amount credits={wallet[key]} />
              </b>
              <small>{pays}</small>
            </dd>
          </div>
        ))}
      </dl>
      {held.length > 0 ? (
        <dl className={`${classes['held']} num`}>
          {held.map(({ key, label, why }) => (
            <div key={key}>
              <dt>{label}</dt>
              <dd className={classes['why']}>
                {why}{' '}
                {key === 'escrow' ? <Link to="/videos?status=PROCESSING">{words.balances.runningJobs}</Link> : null}
              </dd>
              <dd className={classes['sum']}>{showCredits(wallet[key])}</dd>
            </div>
          ))}
        </dl>
      ) : null}
    </section>
  );
}

function Amount({ credits }: { credits: string }) {
  const [whole, fraction] = showCredits(credits).split('.');
  return (
    <>
      {whole}
      <small>.{fraction}</small>
    </>
  );
}

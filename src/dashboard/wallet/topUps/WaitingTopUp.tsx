import { Button, Loader } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { TopUpRowFragment } from '../../generated/graphql.js';
import { showMoney } from '../../lib/amounts.js';
import { showCredits } from '../../lib/credits.js';
import { showMoment } from '../../lib/format.js';
import { announce } from '../../parts/Announcer.js';
import { Icon, type IconName } from '../../parts/Icon.js';
import { useAddCredits } from '../addCredits.js';
import { openCheckout } from './openCheckout.js';
import classes from './WaitingTopUp.module.css';
import { PROVIDER } from './words.js';

interface Props {
  readonly topUp: TopUpRowFragment;
  /** Nothing more will happen to it by itself. */
  readonly onFinal: () => void;
  readonly onHide: () => void;
}

/** One top-up after the pay page: waiting for the provider's word, credited, or expired. */
export function WaitingTopUp({ topUp, onFinal, onHide }: Props) {
  const addCredits = useAddCredits();
  const { status, checkout } = topUp;
  const paid = showMoney(topUp.amount, topUp.currency);
  const provider = PROVIDER[topUp.provider].label;
  const isFinal = status === 'PAID' || status === 'EXPIRED';

  useEffect(() => {
    if (!isFinal) return;
    onFinal();
    announce(status === 'PAID' ? `${showCredits(topUp.credits)} credits have arrived.` : 'The payment has expired.');
  }, [isFinal, onFinal, status, topUp.credits]);

  if (status === 'PAID') {
    return (
      <Strip kind="good" icon="check" title={`${showCredits(topUp.credits)} credits have arrived`} onHide={onHide}>
        <p>
          {paid} by {provider}. They were added to Master: allocate them to the buckets below.
        </p>
        <div className={classes['ways']}>
          {topUp.receiptUrl ? (
            <Button component="a" href={topUp.receiptUrl} download size="xs" variant="default">
              Receipt
            </Button>
          ) : null}
          <Button component={Link} to={`/wallet/top-ups/${topUp.id}`} size="xs" variant="default">
            Details
          </Button>
        </div>
      </Strip>
    );
  }
  if (status === 'EXPIRED') {
    return (
      <Strip kind="bad" icon="alert" title={`The payment of ${paid} has expired`} onHide={onHide}>
        <p>
          It was not paid in time, so nothing was credited. Should money have left your bank all the same, it is put
          right.
        </p>
        <div className={classes['ways']}>
          <Button size="xs" variant="default" onClick={addCredits}>
            Try again
          </Button>
        </div>
      </Strip>
    );
  }
  if (topUp.webhookMissingSince) {
    return (
      <Strip kind="wait" title={`${provider} has your ${paid}, and has not told us yet`} onHide={onHide}>
        <p>Support knows. Nothing is lost: the credits arrive once the provider confirms. You can leave this page.</p>
      </Strip>
    );
  }
  return (
    <Strip kind="wait" title={`Waiting for ${provider} to confirm ${paid}`} onHide={onHide}>
      <p>
        Credits arrive as soon as it does, most often within seconds; you need not stay here. If the payment failed or
        you turned back, nothing was taken: it can be paid until {showMoment(topUp.expiresAt)}.
      </p>
      {checkout ? (
        <div className={classes['ways']}>
          <Button size="xs" variant="default" onClick={() => openCheckout(checkout)}>
            Back to the pay page
          </Button>
        </div>
      ) : null}
    </Strip>
  );
}

interface StripProps {
  readonly kind: 'good' | 'bad' | 'wait';
  readonly icon?: IconName;
  readonly title: string;
  readonly children: ReactNode;
  readonly onHide: () => void;
}

function Strip({ kind, icon, title, children, onHide }: StripProps) {
  return (
    <section className={`panel ${classes['strip']}`} data-kind={kind} aria-label="Your payment">
      <span className={classes['icon']}>
        {icon ? <Icon name={icon} size={20} /> : <Loader size="sm" type="oval" role="img" aria-label="Waiting" />}
      </span>
      <div className={`${classes['words']} num`}>
        <h2>{title}</h2>
        {children}
      </div>
      <button type="button" className={classes['close']} aria-label="Hide this payment" onClick={onHide}>
        <Icon name="close" size={16} />
      </button>
    </section>
  );
}

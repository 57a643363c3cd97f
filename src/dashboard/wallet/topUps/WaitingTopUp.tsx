import { words } from '#words/wallet.js';
import { Button, Loader } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { TopUpRowFragment } from '../../generated/graphql.js';
import { showMoney } from '../../lib/amounts.js';
import { showCredits } from '../../lib/credits.js';
import { showMoment } from '../../lib/format.js';
import { announce } from '../../parts/Announcer.js';
import { Changes } from '../../parts/Changes.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { Icon, type IconName } from '../../parts/Icon.js';
import { useAddCredits } from '../addCredits.js';
import { openCheckout } from './openCheckout.js';
import classes from './WaitingTopUp.module.css';
import { PROVIDER } from './words.js';

interface Props {
  readonly topUp: TopUpRowFragment;
  /** Called once its state is final. */
  readonly onFinal: () => void;
  readonly onHide: () => void;
}

/** One top-up after the pay page: waiting for the provider's confirmation, credited, or expired. */
export function WaitingTopUp({ topUp, onFinal, onHide }: Props) {
  const addCredits = useAddCredits();
  const { status, checkout } = topUp;
  const paid = showMoney(topUp.amount, topUp.currency);
  const provider = PROVIDER[topUp.provider].label;
  const isFinal = status === 'PAID' || status === 'EXPIRED';

  useEffect(() => {
    if (!isFinal) return;
    onFinal();
    announce(
      status === 'PAID'
        ? words.waitingTopUp.creditsArrived(showCredits(topUp.credits))
        : words.waitingTopUp.paymentExpired,
    );
  }, [isFinal, onFinal, status, topUp.credits]);

  if (status === 'PAID') {
    return (
      <Strip
        kind="good"
        icon="check"
        title={words.waitingTopUp.creditsArrivedTitle(showCredits(topUp.credits))}
        onHide={onHide}
      >
        <p>{words.waitingTopUp.creditsWereAddedMaster(paid, provider)}</p>
        <div className={classes['ways']}>
          <Button component={Link} to="/upload" size="xs">
            {words.waitingTopUp.uploadVideo}
          </Button>
          {topUp.receiptUrl ? (
            <DownloadButton href={topUp.receiptUrl} size="xs" variant="default">
              {words.waitingTopUp.receipt}
            </DownloadButton>
          ) : null}
          <Button component={Link} to={`/wallet/top-ups/${topUp.id}`} size="xs" variant="default">
            {words.waitingTopUp.details}
          </Button>
        </div>
      </Strip>
    );
  }
  if (status === 'EXPIRED') {
    return (
      <Strip kind="bad" icon="alert" title={words.waitingTopUp.paymentExpiredTitle(paid)} onHide={onHide}>
        <p>{words.waitingTopUp.wasntPaidTimeSo}</p>
        <div className={classes['ways']}>
          <Changes>
            <Button size="xs" variant="default" onClick={addCredits}>
              {words.waitingTopUp.tryAgain}
            </Button>
          </Changes>
        </div>
      </Strip>
    );
  }
  if (topUp.webhookMissingSince) {
    return (
      <Strip kind="wait" title={words.waitingTopUp.receivedConfirmationLate(provider, paid)} onHide={onHide}>
        <p>{words.waitingTopUp.supportHasBeenNotified}</p>
      </Strip>
    );
  }
  return (
    <Strip kind="wait" title={words.waitingTopUp.waitingConfirm(provider, paid)} onHide={onHide}>
      <p>{words.waitingTopUp.creditsArriveAfterConfirmation(showMoment(topUp.expiresAt))}</p>
      {checkout ? (
        <div className={classes['ways']}>
          <Changes>
            <Button size="xs" variant="default" onClick={() => openCheckout(checkout)}>
              {words.waitingTopUp.backPayPage}
            </Button>
          </Changes>
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
    <section className={`panel ${classes['strip']}`} data-kind={kind} aria-label={words.waitingTopUp.payment}>
      <span className={classes['icon']}>
        {icon ? (
          <Icon name={icon} size={20} />
        ) : (
          <Loader size="sm" type="oval" role="img" aria-label={words.waitingTopUp.waiting} />
        )}
      </span>
      <div className={`${classes['words']} num`}>
        <h2>{title}</h2>
        {children}
      </div>
      <button type="button" className={classes['close']} aria-label={words.waitingTopUp.hidePayment} onClick={onHide}>
        <Icon name="close" size={16} />
      </button>
    </section>
  );
}

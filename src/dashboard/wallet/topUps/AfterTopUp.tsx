import { words } from '#words/wallet.js';
import { useViewer } from '../../session/viewer.js';
import type { TopUpRowFragment } from '../../generated/graphql.js';
import { showMoney } from '../../lib/amounts.js';
import { showMoment } from '../../lib/format.js';
import { StateTag, type StateKind } from '../StateTag.js';
import classes from './TopUpPage.module.css';
import { DISPUTE, REFUND } from './words.js';

/** Refunds and disputes of a top-up. Empty if there are none. */
export function AfterTopUp({ topUp }: { topUp: TopUpRowFragment }) {
  const { view } = useViewer();
  const { refunds, disputes, creditNotes, currency } = topUp;
  return (
    <>
      {refunds.length > 0 ? (
        <section className={`panel ${classes['card']}`} aria-labelledby="refunds-title">
          <h2 id="refunds-title">{words.afterTopUp.refunds}</h2>
          <ul className={classes['events']}>
            {refunds.map(({ id, amount, state, createdAt }) => (
              <Event key={id} amount={showMoney(amount, currency)} at={createdAt} words={REFUND[state]} />
            ))}
          </ul>
          {creditNotes.length > 0 && !view ? (
            <p className={classes['papers']}>
              {creditNotes.map(({ refundId, pdfUrl }, index) => (
                <a key={refundId} href={pdfUrl} download>
                  {words.afterTopUp.creditNoteNumberUndefined(creditNotes.length > 1 ? index + 1 : undefined)}
                </a>
              ))}
            </p>
          ) : null}
        </section>
      ) : null}
      {disputes.length > 0 ? (
        <section className={`panel ${classes['card']}`} aria-labelledby="disputes-title">
          <h2 id="disputes-title">{words.afterTopUp.disputes}</h2>
          <ul className={classes['events']}>
            {disputes.map(({ id, amount, state, createdAt }) => (
              <Event key={id} amount={showMoney(amount, currency)} at={createdAt} words={DISPUTE[state]} />
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

interface EventProps {
  readonly amount: string;
  readonly at: string;
  readonly words: { readonly label: string; readonly kind: StateKind; readonly why: string };
}

function Event({ amount, at, words }: EventProps) {
  return (
    <li>
      <span>
        <b className="num">{amount}</b> <small>{showMoment(at)}</small>
      </span>
      <StateTag kind={words.kind}>{words.label}</StateTag>
      <small>{words.why}</small>
    </li>
  );
}

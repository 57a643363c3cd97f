import { words } from '#words/wallet.js';
import { Link } from 'react-router';
import { useViewer } from '../../session/viewer.js';
import type { TopUpRowFragment } from '../../generated/graphql.js';
import { showMoney } from '../../lib/amounts.js';
import { showCredits } from '../../lib/credits.js';
import { showMoment } from '../../lib/format.js';
import { Icon } from '../../parts/Icon.js';
import { StateTag } from '../StateTag.js';
import classes from './TopUpRow.module.css';
import { PROVIDER, statusOf } from './words.js';

/** A top-up in a list: the whole row opens it. */
export function TopUpRow({ topUp }: { topUp: TopUpRowFragment }) {
  const { view } = useViewer();
  const { label, kind } = statusOf(topUp);
  return (
    <div className={classes['row']}>
      <span className={classes['what']}>
        <Link to={`/wallet/top-ups/${topUp.id}`} className={`${classes['link']} num`}>
          {showMoney(topUp.amount, topUp.currency)}
        </Link>
        <small>
          {PROVIDER[topUp.provider].label}
          {topUp.sandbox ? words.topUpRow.sandbox : ''} · {showMoment(topUp.createdAt)}
        </small>
      </span>
      <StateTag kind={kind}>{label}</StateTag>
      <span className={`${classes['credits']} num`}>
        {topUp.status === 'PAID' ? `+${showCredits(topUp.credits)}` : showCredits(topUp.credits)}
        <small>{words.topUpRow.credits}</small>
      </span>
      <span className={classes['paper']}>
        {topUp.receiptUrl && !view ? (
          <a
            href={topUp.receiptUrl}
            download
            aria-label={words.topUpRow.receipt(showMoney(topUp.amount, topUp.currency))}
          >
            <Icon name="download" size={17} />
          </a>
        ) : null}
      </span>
    </div>
  );
}

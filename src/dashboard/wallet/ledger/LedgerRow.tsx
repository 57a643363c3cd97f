import { words } from '#words/wallet.js';
import type { LedgerAccount, LedgerRowFragment } from '../../generated/graphql.js';
import { microsOf, showCredits } from '../../lib/credits.js';
import { showMoment } from '../../lib/format.js';
import '../buckets.css';
import { ACCOUNT, ENTRY } from '../words.js';
import { Cause } from './Cause.js';
import classes from './Ledger.module.css';
import type { LedgerNarrowing } from './ledgerFilter.js';

interface Props {
  readonly entry: LedgerRowFragment;
  /** The list is already filtered by one video. */
  readonly isOneVideo: boolean;
  readonly onNarrow: (change: Partial<LedgerNarrowing>) => void;
}

const COLOURED = new Set(['MASTER', 'CREATIVE', 'CLOUD', 'AI']);

/** Its colour and its name. */
export function AccountName({ account }: { account: LedgerAccount }) {
  return (
    <>
      <i data-bucket={COLOURED.has(account) ? account.toLowerCase() : 'held'} aria-hidden="true" />
      {ACCOUNT[account]}
    </>
  );
}

/** The cells of one entry: what and why, when, which bucket, how much, and the balance after it. */
export function LedgerRow({ entry, isOneVideo, onNarrow }: Props) {
  const { account, amount, balanceAfter, cause, createdAt, type } = entry;
  const up = microsOf(amount) > 0n;
  return (
    <div className={classes['row']} role="presentation">
      <span role="cell" className={classes['what']}>
        <b>{ENTRY[type]}</b>
        <small>
          <Cause entry={entry} />
          {cause?.__typename === 'VideoCause' && !isOneVideo ? (
            <button type="button" onClick={() => onNarrow({ video: cause.videoId })}>
              {words.ledgerRow.onlyVideo}
            </button>
          ) : null}
        </small>
      </span>
      <time role="cell" dateTime={createdAt} className={classes['when']}>
        {showMoment(createdAt)}
      </time>
      <span role="cell" className={classes['bucket']}>
        <AccountName account={account} />
      </span>
      <span role="cell" className={`${classes['change']} num`} data-up={up || undefined}>
        {up ? '+' : ''}
        {showCredits(amount)}
      </span>
      <span role="cell" className={`${classes['after']} num`}>
        {showCredits(balanceAfter)}
      </span>
    </div>
  );
}

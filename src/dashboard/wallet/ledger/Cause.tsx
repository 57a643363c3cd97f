import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { LedgerRowFragment } from '../../generated/graphql.js';
import { nameDay } from '../../lib/utcDays.js';
import { ACCOUNT } from '../words.js';

/** What caused an entry, and the way there. */
export function Cause({ entry }: { entry: LedgerRowFragment }) {
  const { cause, reference } = entry;
  switch (cause?.__typename) {
    case 'VideoCause': {
      const again = cause.attempt !== null && cause.attempt > 1 ? `, attempt ${cause.attempt}` : '';
      if (cause.title === null) return <>A video that is deleted{again}</>;
      return (
        <>
          <To path={`/videos/${cause.videoId}`}>{cause.title}</To>
          {again}
        </>
      );
    }
    case 'TopUpCause':
      return <OfTopUp id={cause.topUpId}>Payment {cause.paymentId}</OfTopUp>;
    case 'RefundCause':
      return <OfTopUp id={cause.topUpId}>Refund of a top-up</OfTopUp>;
    case 'DisputeCause':
      return <OfTopUp id={cause.topUpId}>Dispute {cause.disputeId}</OfTopUp>;
    case 'StorageCause':
      return (
        <>
          {nameDay(cause.date)}, in UTC{cause.isReversal ? ': charge reversed' : null}
        </>
      );
    case 'ReferralCause':
      return (
        <To path="/referrals">
          {cause.isClawBack ? 'Bonus taken back: the top-up was refunded' : null}
          {!cause.isClawBack && cause.role === 'REFERRER' ? 'For somebody you invited' : null}
          {!cause.isClawBack && cause.role === 'INVITEE' ? 'Welcome: you were invited' : null}
        </To>
      );
    case 'AdjustmentCause':
      return <>{cause.reason || 'By support'}</>;
    case 'AllocationCause':
      return cause.repaysDebt ? (
        <>Debt repaid</>
      ) : (
        <>
          {ACCOUNT[cause.from]} to {ACCOUNT[cause.to]}
        </>
      );
    case undefined:
      return <>{reference ?? ''}</>;
  }
}

function OfTopUp({ id, children }: { id: string | null; children: ReactNode }) {
  return id === null ? <>{children}</> : <To path={`/wallet/top-ups/${id}`}>{children}</To>;
}

function To({ path, children }: { path: string; children: ReactNode }) {
  return (
    <Anchor component={Link} to={path} inherit>
      {children}
    </Anchor>
  );
}

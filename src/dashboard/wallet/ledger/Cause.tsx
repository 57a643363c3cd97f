import { words } from '#words/wallet.js';
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { LedgerRowFragment } from '../../generated/graphql.js';
import { nameDay } from '../../lib/utcDays.js';
import { ACCOUNT } from '../words.js';

/** The cause of an entry, as a link. */
export function Cause({ entry }: { entry: LedgerRowFragment }) {
  const { cause, reference } = entry;
  switch (cause?.__typename) {
    case 'VideoCause': {
      const again = cause.attempt !== null && cause.attempt > 1 ? words.cause.attempt(cause.attempt) : '';
      if (cause.title === null) return <>{words.cause.deletedVideo(again)}</>;
      return (
        <>
          <To path={`/videos/${cause.videoId}`}>{cause.title}</To>
          {again}
        </>
      );
    }
    case 'TopUpCause':
      return <OfTopUp id={cause.topUpId}>{words.cause.payment(cause.paymentId)}</OfTopUp>;
    case 'RefundCause':
      return <OfTopUp id={cause.topUpId}>{words.cause.refundTopUp}</OfTopUp>;
    case 'DisputeCause':
      return <OfTopUp id={cause.topUpId}>{words.cause.dispute(cause.disputeId)}</OfTopUp>;
    case 'StorageCause':
      return <>{words.cause.utc(nameDay(cause.date), cause.isReversal)}</>;
    case 'ReferralCause':
      return (
        <To path="/referrals">
          {cause.isClawBack ? words.cause.bonusTakenBackTop : null}
          {!cause.isClawBack && cause.role === 'REFERRER' ? words.cause.someoneInvited : null}
          {!cause.isClawBack && cause.role === 'INVITEE' ? words.cause.welcomeWereInvited : null}
        </To>
      );
    case 'AdjustmentCause':
      return <>{cause.reason || words.cause.support}</>;
    case 'AllocationCause':
      if (cause.repaysDebt) return <>{words.cause.debtRepaid}</>;
      if (cause.drawnForDay !== null) {
        const day = words.cause.utc(nameDay(cause.drawnForDay), cause.isReversal);
        return <>{words.cause.forStorage(ACCOUNT[cause.from], ACCOUNT[cause.to], day)}</>;
      }
      if (cause.drawnFor === null) return <>{words.cause.to(ACCOUNT[cause.from], ACCOUNT[cause.to])}</>;
      return (
        <>
          {words.cause.automatic(ACCOUNT[cause.from], ACCOUNT[cause.to])}{' '}
          <To path={`/videos/${cause.drawnFor}`}>{words.cause.aVideo}</To>
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

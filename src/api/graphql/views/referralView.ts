import { BONUS_MICROS, WINDOW_HOURS } from '../../../domain/ledger/referralTerms.js';
import type {
  Invitee as InviteeRecord,
  ReferralOverview,
} from '../../../domain/payments/referrals/referral.service.js';
import type { ReferralStatus as StatusRecord } from '../../../domain/payments/referrals/referral.sql.js';
import { ReferralStatus, type Invitee, type Referrals } from '../types/referral.js';

const STATUS = {
  pending: ReferralStatus.PENDING,
  granted: ReferralStatus.GRANTED,
  clawed_back: ReferralStatus.CLAWED_BACK,
  cancelled: ReferralStatus.CANCELLED,
} as const satisfies Record<StatusRecord, ReferralStatus>;

export function referralsView({ accountId, code, link, totals }: ReferralOverview): Referrals {
  const { earnedMicros, invited, pending, granted, clawedBack } = totals;
  return {
    accountId,
    code,
    link,
    referrerBonus: BONUS_MICROS.referrer,
    inviteeBonus: BONUS_MICROS.invitee,
    windowHours: WINDOW_HOURS,
    totals: { invited, pending, granted, clawedBack, earned: earnedMicros },
  };
}

export function inviteeView(invitee: InviteeRecord): Invitee {
  return {
    id: invitee.id,
    status: STATUS[invitee.status],
    maskedEmail: invitee.maskedEmail,
    joinedAt: invitee.joinedAt,
    bonus: invitee.bonusMicros,
    windowEndsAt: invitee.windowEndsAt,
  };
}

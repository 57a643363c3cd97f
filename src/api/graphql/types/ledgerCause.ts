import { createUnionType, Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';

/** The owning account, for the loaders. Neither this nor `kind` is in the schema. */
abstract class OfAccount {
  accountId!: string;
}

@ObjectType({ description: 'A job: credits locked for it, charged, or returned.' })
export class VideoCause extends OfAccount {
  readonly kind!: 'video';

  @Field(() => ID, { description: 'vid_…; the video may be deleted since.' })
  videoId!: string;

  @Field(() => Int, { nullable: true, description: 'Which attempt at processing it.' })
  attempt!: number | null;

  uuid!: string;
}

@ObjectType()
export class TopUpCause {
  readonly kind!: 'topUp';

  @Field(() => ID, { nullable: true })
  topUpId!: string | null;

  @Field(() => String)
  provider!: string;

  @Field(() => String, { description: "The provider's id of the payment." })
  paymentId!: string;
}

@ObjectType({ description: 'Money that went back to the payer, or is about to.' })
export class RefundCause {
  readonly kind!: 'refund';

  @Field(() => ID, { nullable: true })
  topUpId!: string | null;

  @Field(() => String)
  provider!: string;

  @Field(() => String, { description: 'The refund’s id in the books.' })
  refundId!: string;
}

@ObjectType({ description: 'A payment that the payer disputes with their bank.' })
export class DisputeCause {
  readonly kind!: 'dispute';

  @Field(() => ID, { nullable: true })
  topUpId!: string | null;

  @Field(() => String)
  provider!: string;

  @Field(() => String)
  disputeId!: string;
}

@ObjectType()
export class StorageCause {
  readonly kind!: 'storage';

  @Field(() => String, { description: 'The UTC day that was paid for, such as "2025-03-01".' })
  date!: string;

  @Field(() => Boolean, { description: 'Whether it returns a wrong charge.' })
  isReversal!: boolean;
}

export const ReferralRole = { REFERRER: 'referrer', INVITEE: 'invitee' } as const;
export type ReferralRole = (typeof ReferralRole)[keyof typeof ReferralRole];
registerEnumType(ReferralRole, { name: 'ReferralRole' });

@ObjectType()
export class ReferralCause {
  readonly kind!: 'referral';

  @Field(() => ReferralRole, { description: 'Whether it is the bonus for inviting, or for being invited.' })
  role!: ReferralRole;

  @Field(() => Boolean, {
    description: 'Whether the bonus was taken back because the top-up that earned it was refunded.',
  })
  isClawBack!: boolean;
}

@ObjectType()
export class AdjustmentCause {
  readonly kind!: 'adjustment';

  @Field(() => String)
  reason!: string;
}

@ObjectType({ description: 'Credits that the owner moved or paid a debt with, or that a bucket drew from MASTER.' })
export class AllocationCause extends OfAccount {
  readonly kind!: 'allocation';

  @Field(() => Boolean)
  repaysDebt!: boolean;

  @Field(() => ID, {
    nullable: true,
    description: 'vid_…: the video whose job drew what its bucket lacked; null if the owner moved the credits.',
  })
  drawnFor!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'For a draw by a storage charge: its UTC day, such as "2025-03-01"; null otherwise.',
  })
  drawnForDay!: string | null;

  @Field(() => Boolean, { description: 'Whether the charge was wrong, and the credits went back to MASTER.' })
  isReversal!: boolean;

  /** The posting, and its time as the database writes it. */
  txId!: string;
  at!: string;
}

const KINDS = {
  video: VideoCause,
  topUp: TopUpCause,
  refund: RefundCause,
  dispute: DisputeCause,
  storage: StorageCause,
  referral: ReferralCause,
  adjustment: AdjustmentCause,
  allocation: AllocationCause,
} as const;

export const LedgerCause = createUnionType({
  name: 'LedgerCause',
  description: 'What caused an entry.',
  types: () => Object.values(KINDS),
  resolveType: (cause) => KINDS[cause.kind],
});
export type LedgerCause = InstanceType<(typeof KINDS)[keyof typeof KINDS]>;

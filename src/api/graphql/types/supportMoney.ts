import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { DateTime } from '../scalars/dateTime.js';
import { SafeInt } from '../scalars/safeInt.js';
import { connectionOf } from './connection.js';
import { Wallet } from './wallet.js';

export const AdjustmentStatus = {
  PENDING: 'pending',
  APPROVED: 'approved',
  REFUSED: 'refused',
  EXPIRED: 'expired',
} as const;
export type AdjustmentStatus = (typeof AdjustmentStatus)[keyof typeof AdjustmentStatus];
registerEnumType(AdjustmentStatus, { name: 'AdjustmentStatus' });

@ObjectType({ description: 'A correction of a wallet that needs a second member of staff.' })
export class AdjustmentRequest {
  @Field(() => ID)
  id!: string;

  @Field(() => ID)
  accountId!: string;

  @Field(() => Credits, { description: 'Signed.' })
  amount!: bigint;

  @Field(() => String)
  reason!: string;

  @Field(() => AdjustmentStatus)
  status!: AdjustmentStatus;

  @Field(() => ID)
  requestedBy!: string;

  @Field(() => String, { nullable: true })
  requestedByEmail!: string | null;

  @Field(() => DateTime)
  requestedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'It can’t be approved after this time.' })
  expiresAt!: Date | null;

  @Field(() => ID, { nullable: true })
  decidedBy!: string | null;

  @Field(() => String, { nullable: true })
  decidedByEmail!: string | null;

  @Field(() => DateTime, { nullable: true })
  decidedAt!: Date | null;

  @Field(() => String, { nullable: true })
  decisionReason!: string | null;
}

@ObjectType()
export class AdjustmentRequestConnection extends connectionOf('AdjustmentRequest', () => AdjustmentRequest) {}

@ObjectType({ description: 'What became of a correction: booked, or waiting for a second member of staff.' })
export class WalletAdjustment {
  @Field(() => Wallet)
  wallet!: Wallet;

  @Field(() => AdjustmentRequest, { nullable: true, description: 'Null if it is booked.' })
  pending!: AdjustmentRequest | null;
}

@ObjectType({ description: 'Something staff must look at.' })
export class Alert {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: 'Such as "ledger.fault".' })
  kind!: string;

  @Field(() => String, { description: "What it is about, such as a payment's id." })
  subject!: string;

  @Field(() => String)
  message!: string;

  @Field(() => ID, { nullable: true })
  accountId!: string | null;

  @Field(() => Int, { description: 'How often it was raised since it was opened.' })
  times!: number;

  @Field(() => DateTime)
  raisedAt!: Date;

  @Field(() => DateTime)
  lastRaisedAt!: Date;

  @Field(() => DateTime, { nullable: true })
  resolvedAt!: Date | null;
}

@ObjectType()
export class AlertConnection extends connectionOf('Alert', () => Alert) {}

@ObjectType({ description: 'The newest sealed block of the ledger.' })
export class LedgerSeal {
  @Field(() => SafeInt)
  blockNo!: number;

  @Field(() => String, { description: 'SHA-256 in hex.' })
  digest!: string;

  @Field(() => DateTime)
  sealedAt!: Date;

  @Field(() => SafeInt)
  owners!: number;

  @Field(() => SafeInt)
  entries!: number;
}

@ObjectType({ description: 'Whether the books hold, by the last verification.' })
export class LedgerHealth {
  @Field(() => LedgerSeal, { nullable: true })
  lastSeal!: LedgerSeal | null;

  @Field(() => DateTime, { nullable: true })
  lastVerifiedAt!: Date | null;

  @Field(() => Int, { description: 'How many rows are wrong.' })
  faults!: number;

  @Field(() => String, { nullable: true, description: 'The first of them, in words.' })
  firstFault!: string | null;
}

@ObjectType({ description: 'A failed video of any account.' })
export class FailedVideo {
  @Field(() => ID)
  accountId!: string;

  @Field(() => ID, { description: 'vid_…' })
  videoId!: string;

  @Field(() => String)
  title!: string;

  @Field(() => Int, { description: 'Paid attempts so far; 0 where the upload itself could not be read.' })
  attempt!: number;

  @Field(() => String, { nullable: true })
  failureCode!: string | null;

  @Field(() => String, { nullable: true })
  failureMessage!: string | null;

  @Field(() => DateTime)
  failedAt!: Date;
}

@ObjectType()
export class FailedVideoConnection extends connectionOf('FailedVideo', () => FailedVideo) {}

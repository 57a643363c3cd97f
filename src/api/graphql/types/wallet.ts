import { Field, ID, ObjectType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { DateTime } from '../scalars/dateTime.js';
import { connectionOf } from './connection.js';
import { LedgerAccount, LedgerEntryType } from './enums.js';
import { LedgerCause } from './ledgerCause.js';

@ObjectType({ description: 'One line of the statement: one account of the wallet, changed by one posting.' })
export class LedgerEntry {
  @Field(() => ID)
  id!: string;

  @Field(() => ID, { description: 'Entries of one posting share it.' })
  transactionId!: string;

  @Field(() => LedgerEntryType)
  type!: LedgerEntryType;

  @Field(() => LedgerAccount)
  account!: LedgerAccount;

  @Field(() => Credits, { description: 'Signed.' })
  amount!: bigint;

  @Field(() => Credits)
  balanceAfter!: bigint;

  @Field(() => String, { nullable: true, description: 'What caused it, as the ledger names it.' })
  reference!: string | null;

  @Field(() => ID, { nullable: true, description: 'The video it paid for (vid_…), which may be deleted since.' })
  videoId!: string | null;

  @Field(() => LedgerCause, { nullable: true, description: 'Null for a cause that this version does not know.' })
  cause!: LedgerCause | null;

  @Field(() => DateTime)
  createdAt!: Date;
}

@ObjectType()
export class LedgerEntryConnection extends connectionOf('LedgerEntry', () => LedgerEntry) {}

@ObjectType()
export class Wallet {
  @Field(() => Credits)
  master!: bigint;

  @Field(() => Credits)
  cloud!: bigint;

  @Field(() => Credits)
  ai!: bigint;

  @Field(() => Credits)
  creative!: bigint;

  @Field(() => Credits, { description: 'Set aside for jobs that are queued or running.' })
  escrow!: bigint;

  @Field(() => Credits, { description: 'Held for refunds that the provider has not carried out yet.' })
  refundHold!: bigint;

  @Field(() => Credits, { description: 'Held while payers dispute payments with their bank.' })
  disputeHold!: bigint;

  @Field(() => Credits, { description: 'Zero or negative. While it is negative, no new job starts.' })
  debt!: bigint;

  /** The owning account; not in the schema. */
  accountId!: string;
}

import { Field, ID, InputType, ObjectType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';

@ObjectType({ description: 'Whom invoices are made out to.' })
export class BillingDetails {
  @Field(() => String)
  legalName!: string;

  @Field(() => [String])
  addressLines!: readonly string[];

  @Field(() => String, { description: 'ISO 3166, two letters.' })
  country!: string;

  @Field(() => String, { nullable: true, description: 'Two digits; of buyers in India.' })
  stateCode!: string | null;

  @Field(() => String, { nullable: true })
  gstin!: string | null;

  @Field(() => String, { nullable: true, description: 'Shown on invoices; null for the email of the sign-in.' })
  email!: string | null;
}

@InputType()
export class BillingDetailsInput {
  @Field(() => String, { description: 'Up to 200 characters.' })
  legalName!: string;

  @Field(() => [String], { description: 'Up to six lines of 120 characters.' })
  addressLines!: string[];

  @Field(() => String, { description: 'ISO 3166, two letters.' })
  country!: string;

  @Field(() => String, { nullable: true, description: 'Two digits; left out, it is taken from the GSTIN.' })
  stateCode?: string | null;

  @Field(() => String, { nullable: true, description: 'Its check digit is checked.' })
  gstin?: string | null;

  @Field(() => String, { nullable: true })
  email?: string | null;
}

@ObjectType({
  description: 'A month (UTC) of the whole wallet: the buckets, and what is set aside, held or owed, taken together.',
})
export class Statement {
  @Field(() => ID, { description: 'Such as "2026-10".' })
  month!: string;

  @Field(() => Boolean, { description: 'True for the month that is not over yet.' })
  isToDate!: boolean;

  @Field(() => Credits)
  opening!: bigint;

  @Field(() => Credits)
  closing!: bigint;

  @Field(() => String, { description: 'Download it with the same session.' })
  csvUrl!: string;

  @Field(() => String)
  pdfUrl!: string;
}

@ObjectType({ description: 'A document for money of a top-up that the provider refunded.' })
export class CreditNote {
  @Field(() => ID, { description: "The provider's id of the refund." })
  refundId!: string;

  @Field(() => String)
  pdfUrl!: string;
}

import { raw } from '@mikro-orm/core';

import type { Database, Queries } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { EmailKind } from '../../../ports/emails.js';
import { checkedLine } from '../../../readableText.js';
import { BillingDetails as Stored } from './billingDetails.entity.js';
import { isGstin, isStateCode, stateOfGstin } from './gstin.js';

/** The buyer named on an account's invoices. */
export interface BillingDetails {
  readonly legalName: string;
  readonly addressLines: readonly string[];
  /** ISO 3166, two letters. */
  readonly country: string;
  /** Two digits; only for an Indian buyer. */
  readonly stateCode: string | null;
  readonly gstin: string | null;
  /** Where receipts and credit notes are emailed; `null` for the user's own address. */
  readonly email: string | null;
}

const MAX_NAME_LENGTH = 200;
const MAX_LINES = 6;
const MAX_LINE_LENGTH = 120;
const MAX_EMAIL_LENGTH = 254;
const EMAIL = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/;

/** The buyer's details for invoices. Issued documents keep the details they were issued with. */
export class BillingDetailsService {
  constructor(private readonly db: Database) {}

  /** `null` if none were entered yet. */
  find(accountId: string): Promise<BillingDetails | null> {
    return findBillingDetails(this.db, accountId);
  }

  /**
   * Replaces all details. Trims spaces, drops empty lines, and accepts a GSTIN in lower case.
   *
   * @throws INVALID_INPUT naming what is wrong
   */
  async set(accountId: string, given: BillingDetails): Promise<BillingDetails> {
    const details = checked(given);
    await this.db
      .em()
      .createQueryBuilder(Stored)
      .insert({ ...details, accountId, updatedAt: raw('service_now()') })
      .onConflict('accountId')
      .merge()
      .execute();
    return details;
  }
}

export async function findBillingDetails(db: Queries, accountId: string): Promise<BillingDetails | null> {
  const found = await db.em().findOne(Stored, { accountId });
  if (!found) return null;
  const { legalName, addressLines, country, stateCode = null, gstin = null, email = null } = found;
  return { legalName, addressLines, country, stateCode, gstin, email };
}

/** Where receipts and credit notes go, as the owner has it now; `null` for the user's own address and other emails. */
export function invoiceAddressOf(db: Queries) {
  return async (accountId: string, kind: EmailKind): Promise<string | null> =>
    kind === 'topup.credited' || kind === 'refund.booked'
      ? ((await findBillingDetails(db, accountId))?.email ?? null)
      : null;
}

function checked(given: BillingDetails): BillingDetails {
  const legalName = text(given.legalName, 'legalName', MAX_NAME_LENGTH);
  if (legalName === '') refuse('legalName: a name is needed.');
  const addressLines = given.addressLines.map((line) => text(line, 'addressLines', MAX_LINE_LENGTH));
  const filled = addressLines.filter((line) => line !== '');
  if (filled.length > MAX_LINES) refuse(`addressLines: at most ${MAX_LINES} lines.`);
  const country = given.country.trim().toUpperCase();
  if (!/^[A-Z]{2}$/.test(country)) refuse('country: two letters, such as IN.');
  const gstin = optional(given.gstin)?.toUpperCase() ?? null;
  if (gstin !== null && !isGstin(gstin)) refuse('gstin: this is no GSTIN. Please check its digits.');
  const stateCode = optional(given.stateCode) ?? (gstin && stateOfGstin(gstin));
  if (country !== 'IN' && (gstin !== null || stateCode !== null)) {
    refuse('Only buyers in India have a state code and a GSTIN.');
  }
  if (stateCode !== null && !isStateCode(stateCode)) refuse('stateCode: two digits, such as 29.');
  if (gstin !== null && stateCode !== stateOfGstin(gstin)) refuse('gstin: it is of another state than stateCode.');
  const email = optional(given.email);
  if (email !== null && (email.length > MAX_EMAIL_LENGTH || !EMAIL.test(email))) refuse('email: this is no address.');
  if (email !== null) text(email, 'email', MAX_EMAIL_LENGTH);
  return { legalName, addressLines: filled, country, stateCode, gstin, email };
}

function text(value: string, field: string, maxLength: number): string {
  return checkedLine(field, value, { max: maxLength });
}

function optional(value: string | null): string | null {
  const trimmed = value?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

function refuse(message: string): never {
  throw new AppError('INVALID_INPUT', message);
}

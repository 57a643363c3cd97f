import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PdfWriter } from '../../../src/adapters/pdf/pdfWriter.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import {
  BillingDetailsService,
  type BillingDetails,
} from '../../../src/domain/payments/billing/billingDetails.service.js';
import { InvoiceService } from '../../../src/domain/payments/billing/invoice.service.js';
import { receiptOf } from '../../../src/domain/payments/billing/receiptOf.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { openFundedAccount } from '../../support/accounts.js';
import { paidTopUp, refundOf } from '../../support/billing/parents.js';
import { SELLER } from '../../support/billing/seller.js';

const BUYER: BillingDetails = {
  legalName: 'Shree Vidyalaya',
  addressLines: ['Fort', 'Mumbai'],
  country: 'IN',
  stateCode: '27',
  gstin: '27AAPFU0939F1ZV',
  email: 'accounts@vidyalaya.example',
};

let database: TestDatabase;
let admin: pg.Pool;
let db: PostgresDatabase;
let details: BillingDetailsService;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
  await installVirtualClock(database.migrationUrl);
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 20 });
  details = new BillingDetailsService(db);
});

afterAll(async () => {
  await db?.close();
  await admin?.end();
  database?.leaveUnproven('payments are written by hand');
  await database?.drop();
});

describe('invoices', () => {
  it('take consecutive numbers without gaps when 50 are issued at once, with refusals and repetitions', async () => {
    await clockAt('2026-06-01T12:00:00Z');
    const invoices = serviceOf('AB');
    const accountIds = await Promise.all(Array.from({ length: 5 }, () => openFundedAccount(db, {})));
    const topUps = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const accountId = accountIds[n % 5]!;
        return { accountId, ...(await paidTopUp(admin, { accountId })) };
      }),
    );
    const unpaid = await paidTopUp(admin, { accountId: accountIds[0]!, isPaid: false });
    const asked = await Promise.allSettled([
      ...topUps.flatMap(({ accountId, id }) => [invoices.ofTopUp(accountId, id), invoices.ofTopUp(accountId, id)]),
      ...Array.from({ length: 10 }, () => invoices.ofTopUp(accountIds[0]!, unpaid.id)),
    ]);
    const numbers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value.number] : []));
    expect(numbers).toHaveLength(100);
    const expected = Array.from({ length: 50 }, (_, n) => `ABI/2627/${String(n + 1).padStart(6, '0')}`);
    expect([...new Set(numbers)].toSorted()).toEqual(expected);
    for (let n = 0; n < 100; n += 2) expect(numbers[n]).toBe(numbers[n + 1]);
    const { rows } = await admin.query(
      `select number, issued_at < lag(issued_at) over (order by number) as is_backwards from invoice where series = 'AB'`,
    );
    expect(rows).toHaveLength(50);
    expect(rows.some((row) => row.is_backwards)).toBe(false);
  });

  it('start a new series with India’s financial year', async () => {
    const invoices = serviceOf('FY');
    const accountId = await openFundedAccount(db, {});
    const numberAt = async (time: string) => {
      await clockAt(time);
      return (await invoices.ofTopUp(accountId, (await paidTopUp(admin, { accountId })).id)).number;
    };
    // Midnight in India is 18:30 UTC.
    expect(await numberAt('2027-03-31T18:00:00Z')).toBe('FYI/2627/000001');
    expect(await numberAt('2027-03-31T18:29:00Z')).toBe('FYI/2627/000002');
    expect(await numberAt('2027-03-31T18:31:00Z')).toBe('FYI/2728/000001');
    expect(await numberAt('2099-12-31T00:00:00Z')).toBe('FYI/9900/000001');
  });

  it('do not change when the seller’s or the buyer’s details change', async () => {
    const accountId = await openFundedAccount(db, {});
    await details.set(accountId, BUYER);
    const { id, paymentId } = await paidTopUp(admin, { accountId, amountMinor: 118_000n });
    const first = await serviceOf('S').ofTopUp(accountId, id);
    expect(first.facts).toMatchObject({
      buyer: BUYER,
      topUp: {
        paymentId,
        amountMinor: 118_000n,
        creditMicros: 1_180_000_000n,
        paidAt: new Date('2026-05-01T10:05:00Z'),
      },
      taxableMinor: 100_000n,
      taxes: [{ name: 'IGST', basisPoints: 1800, amountMinor: 18_000n }],
      totalMinor: 118_000n,
    });
    await details.set(accountId, { ...BUYER, legalName: 'Another', gstin: null, stateCode: '29' });
    const renamed = new InvoiceService({ db, seller: { ...SELLER, name: 'Renamed', gstin: null, taxRates: [] } });
    expect(await renamed.ofTopUp(accountId, id)).toEqual(first);
    await expect(admin.query('update invoice set number = 9')).rejects.toMatchObject({ code: '42501' });
    await expect(db.sql.query({ name: 'x', text: 'delete from invoice' })).rejects.toMatchObject({ code: '42501' });
  });

  it('are plain receipts without a GSTIN: no tax, and a separate series', async () => {
    const invoices = new InvoiceService({ db, seller: { ...SELLER, gstin: null, series: 'R' } });
    const accountId = await openFundedAccount(db, {});
    const { id } = await paidTopUp(admin, {
      accountId,
      currency: 'USD',
      amountMinor: 2_500n,
      microsPerMinor: 834_512n,
    });
    const receipt = await invoices.ofTopUp(accountId, id);
    expect(receipt).toMatchObject({ kind: 'receipt', facts: { taxes: [], taxableMinor: 2_500n, totalMinor: 2_500n } });
    expect(receipt.number).toMatch(/^RR\/\d{4}\/000001$/);
  });

  it('have one credit note per processed refund, with the tax of the invoice it corrects', async () => {
    const invoices = serviceOf('C');
    const accountId = await openFundedAccount(db, {});
    await details.set(accountId, BUYER);
    const topUp = await paidTopUp(admin, { accountId });
    const refundId = await refundOf(admin, accountId, topUp);
    const pending = await refundOf(admin, accountId, topUp, { state: 'pending' });
    expect(await invoices.creditNotes(accountId, [topUp.id, newId()])).toMatchObject([[{ refundId }], []]);

    const notes = await Promise.all(
      Array.from({ length: 10 }, () => invoices.creditNote(accountId, topUp.id, refundId)),
    );
    const original = await invoices.ofTopUp(accountId, topUp.id);
    expect(new Set(notes.map(({ number }) => number)).size).toBe(1);
    expect(notes[0]).toMatchObject({
      kind: 'credit_note',
      facts: {
        amountMinor: 59_000n,
        taxableMinor: 50_000n,
        taxes: [{ name: 'IGST', amountMinor: 9_000n }],
        refund: { refundId, originalNumber: original.number },
      },
    });
    await expect(invoices.creditNote(accountId, topUp.id, pending)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const other = await paidTopUp(admin, { accountId });
    await expect(invoices.creditNote(accountId, other.id, refundId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('go with the emails of a top-up and a refund as PDF, with the exact amount, and one number however often', async () => {
    const invoices = serviceOf('E');
    const enclosureOf = receiptOf(invoices, new PdfWriter());
    const accountId = await openFundedAccount(db, {});
    await details.set(accountId, BUYER);
    const topUp = await paidTopUp(admin, { accountId, amountMinor: 12_345_678_905n });
    const paid = { topUpId: topUp.id, amount: '123456789.05' };
    const receipt = await enclosureOf(accountId, 'topup.credited', paid);
    const { number } = await invoices.ofTopUp(accountId, topUp.id);
    expect(receipt?.facts).toEqual([
      ['Tax invoice', number],
      ['Paid', '₹12,34,56,789.05'],
    ]);
    expect(receipt?.fileName).toBe(`${number.replaceAll('/', '-')}.pdf`);
    expect(Buffer.from(receipt!.content).subarray(0, 5).toString()).toBe('%PDF-');
    expect(await enclosureOf(accountId, 'topup.credited', paid)).toEqual(receipt);

    const refundId = await refundOf(admin, accountId, topUp);
    const pending = await refundOf(admin, accountId, topUp, { state: 'pending' });
    const note = await enclosureOf(accountId, 'refund.booked', { topUpId: topUp.id, refundId, amount: '590' });
    expect(note?.facts).toContainEqual(['Refunded', '₹590.00']);
    // Announced, but not processed: the email goes without a credit note.
    expect(
      await enclosureOf(accountId, 'refund.booked', { topUpId: topUp.id, refundId: pending, amount: '1' }),
    ).toBeNull();
    expect(await enclosureOf(newId(), 'topup.credited', paid)).toBeNull();
    expect(await enclosureOf(accountId, 'wallet.low', { balance: '1', threshold: '2' })).toBeNull();
  });

  it('have no credit note for a payment of the top-up that was never credited', async () => {
    const invoices = serviceOf('S');
    const accountId = await openFundedAccount(db, {});
    const topUp = await paidTopUp(admin, { accountId });
    const second = { provider: topUp.provider, paymentId: `${topUp.paymentId}_2` };
    await admin.query(
      `insert into payment (account_id, provider, payment_id, topup_id, fate, created_at)
       values ($1, $2, $3, $4, 'suspense', '2026-05-01T10:06:00Z')`,
      [accountId, second.provider, second.paymentId, topUp.id],
    );
    const refundId = await refundOf(admin, accountId, second);
    expect(await invoices.creditNotes(accountId, [topUp.id])).toEqual([[]]);
    await expect(invoices.creditNote(accountId, topUp.id, refundId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are refused for another account’s, an unpaid, an unknown or a malformed top-up', async () => {
    const invoices = serviceOf('N');
    const [accountId, stranger] = [await openFundedAccount(db, {}), await openFundedAccount(db, {})];
    const { id } = await paidTopUp(admin, { accountId });
    const unpaid = await paidTopUp(admin, { accountId, isPaid: false });
    for (const [account, topUp] of [
      [stranger, id],
      [accountId, unpaid.id],
      [accountId, newId()],
      [accountId, 'x'],
    ] as const) {
      await expect(invoices.ofTopUp(account, topUp)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(invoices.creditNote(account, topUp, 'rfnd_1')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect((await admin.query(`select from invoice where series = 'N'`)).rowCount).toBe(0);
  });
});

describe('billing details', () => {
  it('are normalized before they are stored', async () => {
    const accountId = await openFundedAccount(db, {});
    expect(await details.find(accountId)).toBeNull();
    const given = { ...BUYER, legalName: '  Shree Vidyalaya ', addressLines: ['Fort', ' ', 'Mumbai '], country: 'in' };
    expect(await details.set(accountId, { ...given, gstin: ' 27aapfu0939f1zv', stateCode: null })).toEqual(BUYER);
    expect(await details.find(accountId)).toEqual(BUYER);
    const abroad = { ...BUYER, country: 'DE', gstin: null, stateCode: '', email: ' ' };
    expect(await details.set(accountId, abroad)).toMatchObject({ country: 'DE', stateCode: null, email: null });
  });

  it.each([
    { legalName: ' ' },
    { legalName: 'x'.repeat(201) },
    { legalName: 'a\0b' },
    { legalName: 'a\nb' },
    { addressLines: Array.from({ length: 7 }, () => 'x') },
    { addressLines: ['x'.repeat(121)] },
    { country: 'IND' },
    { country: 'DE' },
    { stateCode: '29' },
    { stateCode: '99', gstin: null },
    { gstin: '27AAPFU0939F1ZW' },
    { email: 'not an address' },
    { email: 'a@b' },
  ])('are refused if invalid: %j', async (wrong) => {
    const accountId = await openFundedAccount(db, {});
    await expect(details.set(accountId, { ...BUYER, ...wrong })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await details.find(accountId)).toBeNull();
  });
});

function serviceOf(series: string): InvoiceService {
  return new InvoiceService({ db, seller: { ...SELLER, series } });
}

async function clockAt(time: string): Promise<void> {
  await setClockOffset(database.migrationUrl, Date.parse(time) - Date.now());
}

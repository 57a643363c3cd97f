import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { parseCsv } from '../../support/billing/csv.js';
import { PastLedger } from '../../support/billing/ledger.js';
import { paidTopUp, refundOf } from '../../support/billing/parents.js';
import { readPdf } from '../../support/documents/pdfText.js';
import { DocumentRig, type Person } from '../../support/documents/rig.js';

const MONTH = new Date().toISOString().slice(0, 7);

let rig: DocumentRig;
let owner: Person;
let stranger: Person;
let staff: Person;
let ledger: PastLedger;

beforeAll(async () => {
  rig = await DocumentRig.start();
  owner = await rig.person('owner@example.com', 'owner', 'श्री Owner');
  stranger = await rig.person('stranger@example.com');
  staff = await rig.person('staff@example.com', 'support');
  ledger = await PastLedger.of(rig.admin, owner.accountId);
  await ledger.write([
    { type: 'TOPUP', at: new Date(), deltas: { MASTER: 118_500_000n }, key: 'topup:razorpay:pay_1' },
    { type: 'ALLOCATION', at: new Date(), deltas: { MASTER: -5_250_000n, CREATIVE: 5_250_000n }, key: 'allocation:1' },
  ]);
});
afterAll(() => rig.stop());

describe('statements to download', () => {
  it('are available as CSV', async () => {
    const answer = await rig.get(`/statements/${MONTH}.csv`, owner);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="dhara-statement-${MONTH}.csv"`);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect([...answer.body.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const rows = parseCsv(answer.body.toString('utf8').slice(1));
    expect(rows.filter(([record]) => record === 'entry')).toHaveLength(3);
    expect(rows.find(([record]) => record === 'statement')![4]).toContain('to date: श्री Owner <owner@example.com>');
    expect(rows.find(([record, , account]) => record === 'closing' && account === 'MASTER')![6]).toBe('113.25');
  });

  it('are available as PDF', async () => {
    const answer = await rig.get(`/statements/${MONTH}.pdf`, owner);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    const { pages, info } = readPdf(answer.body);
    const text = pages.map((page) => page.text).join('\n');
    for (const part of ['To date', 'owner@example.com', 'Top-up: razorpay pay_1', '+118.5', '113.25', 'Page 1']) {
      expect(text).toContain(part);
    }
    expect(info).toContain('Dhara Video Private Limited');
  });

  it('support HEAD', async () => {
    for (const extension of ['csv', 'pdf']) {
      const answer = await rig.get(`/statements/${MONTH}.${extension}`, owner, 'HEAD');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-disposition')).toContain(`${MONTH}.${extension}`);
      expect(answer.body).toHaveLength(0);
    }
    expect((await rig.get('/statements/1999-01.csv', owner, 'HEAD')).status).toBe(404);
  });

  it.each(['2026-13', '1999-01', 'x', '%00', '..%2f2026-01', '%zz', `${MONTH}.csv`])(
    'are not found for the month %s',
    async (month) => {
      const answer = await rig.get(`/statements/${month}.csv`, owner);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.body.toString())).toMatchObject({
        success: false,
        error: { code: 'NOT_FOUND', status: 404 },
      });
      expect(answer.headers.get('content-disposition')).toBeNull();
    },
  );
});

describe('documents', () => {
  it('require a session', async () => {
    const { id } = await paidTopUp(rig.admin, { accountId: owner.accountId });
    for (const path of [`/statements/${MONTH}.csv`, `/statements/${MONTH}.pdf`, `/top-ups/${id}/receipt.pdf`]) {
      const answer = await rig.get(path, null);
      expect(answer.status).toBe(401);
      expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'UNAUTHENTICATED' } });
    }
  });

  it('of another account are not found, like documents that do not exist', async () => {
    const topUp = await paidTopUp(rig.admin, { accountId: owner.accountId });
    const refundId = await refundOf(rig.admin, owner.accountId, topUp);
    for (const path of [`/top-ups/${topUp.id}/receipt.pdf`, `/top-ups/${topUp.id}/credit-notes/${refundId}.pdf`]) {
      const refused = await rig.get(path, stranger);
      const never = await rig.get(path.replace(topUp.id, newId()), stranger);
      expect(refused).toMatchObject({ status: 404, body: never.body });
      expect((await rig.get(`${path}?account=${owner.accountId}`, stranger)).status).toBe(403);
    }
    expect((await rig.get(`/statements/${MONTH}.csv?account=${owner.accountId}`, stranger)).status).toBe(403);
    expect((await rig.get(`/statements/${MONTH}.csv?account=${stranger.accountId}`, stranger)).status).toBe(200);
  });

  it('of any account are open to support staff, unless the staff are suspended', async () => {
    const answer = await rig.get(`/statements/${MONTH}.csv?account=${owner.accountId}`, staff);
    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toContain('owner@example.com');
    for (const account of [newId(), 'x', '']) {
      expect((await rig.get(`/statements/${MONTH}.csv?account=${account}`, staff)).status).toBe(404);
    }
    await rig.admin.query('update account set suspended_at = now() where id = $1', [staff.accountId]);
    expect((await rig.get(`/statements/${MONTH}.csv?account=${owner.accountId}`, staff)).status).toBe(403);
    expect((await rig.get(`/statements/${MONTH}.csv`, staff)).status).toBe(200);
    await rig.admin.query('update account set suspended_at = null where id = $1', [staff.accountId]);
  });

  it('are read-only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await rig.get(`/statements/${MONTH}.csv`, owner, method);
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
    expect((await rig.get('/', owner)).status).toBe(404);
    expect((await rig.get('/statements/', owner)).status).toBe(404);
  });
});

describe('receipts to download', () => {
  it('are tax invoices of a registered seller, with the same bytes each time', async () => {
    await rig.details.set(owner.accountId, {
      legalName: 'हिन्दी विद्यालय Trust',
      addressLines: ['Fort', 'Mumbai'],
      country: 'IN',
      stateCode: '27',
      gstin: '27AAPFU0939F1ZV',
      email: null,
    });
    const { id } = await paidTopUp(rig.admin, { accountId: owner.accountId, amountMinor: 123_456_78n });
    const first = await rig.get(`/top-ups/${id}/receipt.pdf`, owner);
    expect(first.status).toBe(200);
    expect(first.headers.get('content-disposition')).toMatch(/^attachment; filename="TI-\d{4}-\d{6}\.pdf"$/);
    const { text } = readPdf(first.body).pages[0]!;
    for (const part of [
      'Tax invoice',
      'GSTIN 29AAGCB7383J1Z4',
      'GSTIN 27AAPFU0939F1ZV',
      'Trust',
      '998315',
      'IGST 18 %₹18,832.39',
      'Taxable value₹1,04,624.39',
      'Total₹1,23,456.78',
      'owner@example.com',
    ]) {
      expect(text).toContain(part);
    }
    const again = await rig.get(`/top-ups/${id}/receipt.pdf`, owner);
    expect(again.body.equals(first.body)).toBe(true);
  });

  it('have a credit note for each refund', async () => {
    const topUp = await paidTopUp(rig.admin, { accountId: owner.accountId });
    const refundId = await refundOf(rig.admin, owner.accountId, topUp);
    const answer = await rig.get(`/top-ups/${topUp.id}/credit-notes/${refundId}.pdf`, owner);
    expect(answer.status).toBe(200);
    const { text } = readPdf(answer.body).pages[0]!;
    for (const part of ['Credit note', refundId, 'Total₹590.00', 'Refund of 590 credits']) expect(text).toContain(part);
    expect((await rig.get(`/top-ups/${topUp.id}/credit-notes/rfnd_none.pdf`, owner)).status).toBe(404);
  });
});

describe('the ledger as a file', () => {
  const rowsOf = (body: Buffer): string[][] => parseCsv(body.toString('utf8').slice(1));

  it('has the entries that the filter shows, newest first', async () => {
    const all = await rig.get('/ledger.csv', owner);
    expect(all.status).toBe(200);
    expect(all.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(all.headers.get('content-disposition')).toBe('attachment; filename="dhara-ledger.csv"');
    const [head, ...rows] = rowsOf(all.body);
    expect(head).toEqual(['time', 'account', 'type', 'description', 'amount', 'balance', 'reference', 'transaction']);
    expect(rows.map((row) => row[2])).toEqual(['ALLOCATION', 'ALLOCATION', 'TOPUP']);

    const creative = rowsOf((await rig.get('/ledger.csv?bucket=CREATIVE', owner)).body).slice(1);
    expect(creative.map((row) => [row[1], row[4]])).toEqual([['CREATIVE', '5.25']]);
    const topUps = rowsOf((await rig.get('/ledger.csv?type=TOPUP', owner)).body).slice(1);
    expect(topUps.map((row) => row[4])).toEqual(['118.5']);
    const amount = rowsOf((await rig.get('/ledger.csv?amount=5.25', owner)).body).slice(1);
    expect(amount.map((row) => row[4])).toEqual(['5.25', '-5.25']);
    const past = await rig.get('/ledger.csv?from=2001-01-01T00:00:00.000Z&to=2001-02-01T00:00:00.000Z', owner);
    expect(rowsOf(past.body)).toHaveLength(1);
    expect(rowsOf((await rig.get('/ledger.csv', stranger)).body)).toHaveLength(1);
  });

  it.each([
    'amount=much',
    'bucket=NONE',
    'type=NONE',
    'from=yesterday',
    'to=2026-13-40T00:00:00Z',
    'bucket=AI&bucket=CLOUD',
  ])('is refused for a filter that is none: %s', async (query) => {
    const answer = await rig.get(`/ledger.csv?${query}`, owner);
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([400, null]);
  });

  it('is for the owner, and for staff who name the account', async () => {
    expect((await rig.get('/ledger.csv', null)).status).toBe(401);
    expect((await rig.get(`/ledger.csv?account=${owner.accountId}`, stranger)).status).toBe(403);
    expect(rowsOf((await rig.get(`/ledger.csv?account=${owner.accountId}`, staff)).body)).toHaveLength(4);
    expect((await rig.get('/ledger.csv?video=nothing', owner)).status).toBe(404);
    expect((await rig.get('/ledger.csv', owner, 'HEAD')).body).toHaveLength(0);
  });

  it('is streamed page by page, every entry once', async () => {
    const rich = await rig.person('rich@example.com');
    const books = await PastLedger.of(rig.admin, rich.accountId);
    await books.write([
      { type: 'TOPUP', at: new Date(), deltas: { MASTER: 10_000_000n }, key: 'topup:razorpay:pay_2' },
      ...Array.from({ length: 620 }, (_, n) => ({
        type: 'ALLOCATION' as const,
        at: new Date(),
        deltas: { MASTER: -1_000n, AI: 1_000n },
        key: `allocation:${n}`,
      })),
    ]);
    const rows = rowsOf((await rig.get('/ledger.csv', rich)).body).slice(1);
    expect(rows).toHaveLength(1241);
    expect(new Set(rows.map((row) => `${row[1]} ${row[7]}`)).size).toBe(1241);
  });
});

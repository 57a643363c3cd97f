import type { Seller } from '../../../src/domain/payments/billing/seller.js';

/** A seller registered in Karnataka, with tax included in its prices. */
export const SELLER: Seller = {
  name: 'Dhara Video Private Limited',
  addressLines: ['12, Residency Road', 'Bengaluru 560025'],
  gstin: '29AAGCB7383J1Z4',
  stateCode: '29',
  serviceCode: '998315',
  taxRates: [
    { name: 'CGST', basisPoints: 900 },
    { name: 'SGST', basisPoints: 900 },
  ],
  pricesIncludeTax: true,
  series: 'T',
};

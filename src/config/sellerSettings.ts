import { z } from 'zod';

import { isGstin, isStateCode, stateOfGstin } from '../domain/payments/billing/gstin.js';
import type { Seller } from '../domain/payments/billing/seller.js';
import { parseTaxRates } from '../domain/payments/billing/tax.js';

/** Settings about the seller of the credits. */
export const SELLER_SETTINGS = {
  SELLER_NAME: z.string().max(200).default('Dhara').describe('who sells the credits, on statements and receipts'),
  SELLER_ADDRESS: z
    .string()
    .max(600)
    .optional()
    .describe('the seller’s address, its lines separated by | (a vertical bar)'),
  SELLER_GSTIN: z
    .string()
    .refine(isGstin, 'must be a GSTIN with a right check digit')
    .optional()
    .describe('with it, top-ups get tax invoices; without it, receipts'),
  SELLER_STATE_CODE: z
    .string()
    .refine(isStateCode, 'must be the two digits of an Indian state')
    .optional()
    .describe('the seller’s state for GST (default: that of SELLER_GSTIN)'),
  SELLER_SERVICE_CODE: z
    .string()
    .regex(/^\d{4,8}$/, 'must be an HSN or SAC of 4 to 8 digits')
    .default('998315')
    .describe('HSN or SAC of what is sold'),
  TAX_LINES: z
    .string()
    .refine((text) => parseTaxRates(text) !== null, 'must be such as CGST:9,SGST:9')
    .default('CGST:9,SGST:9')
    .describe('taxes on tax invoices, in percent; CGST and SGST become IGST for buyers elsewhere'),
  PRICES_INCLUDE_TAX: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(true)
    .describe('`false` puts the tax on top of what is paid'),
  INVOICE_SERIES: z
    .string()
    .regex(/^[A-Z0-9]{1,3}$/, 'must be one to three capital letters or digits')
    .default('D')
    .describe('prefix of the numbers of receipts and invoices; each database needs its own'),
};

type SellerSettings = z.infer<z.ZodObject<typeof SELLER_SETTINGS>>;

/** The seller that the settings describe. */
export function sellerOf(settings: SellerSettings): Seller {
  const gstin = settings.SELLER_GSTIN ?? null;
  return {
    name: settings.SELLER_NAME,
    addressLines: (settings.SELLER_ADDRESS ?? '')
      .split('|')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    gstin,
    stateCode: settings.SELLER_STATE_CODE ?? (gstin && stateOfGstin(gstin)),
    serviceCode: settings.SELLER_SERVICE_CODE,
    taxRates: parseTaxRates(settings.TAX_LINES) ?? [],
    pricesIncludeTax: settings.PRICES_INCLUDE_TAX,
    series: settings.INVOICE_SERIES,
  };
}

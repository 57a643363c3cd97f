import { words } from '#words/wallet.js';

/** Checks a GSTIN without asking the tax office; the service repeats the check. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const FORMAT = /^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]$/;
const LENGTH = 15;

/** What is wrong with it, in words; undefined if it is valid. */
export function gstinProblem(typed: string): string | undefined {
  const gstin = typed.trim().toUpperCase();
  if (gstin.length !== LENGTH) return words.gstin.gstinHasCharactersOne(LENGTH, gstin.length);
  if (!(gstin.slice(0, 2) in STATES)) return words.gstin.firstTwoDigitsNot;
  if (!FORMAT.test(gstin)) return words.gstin.byFormat29Abcde;
  if (checkDigit(gstin) !== gstin.at(-1)) return words.gstin.checkDigitWrongLook;
  return undefined;
}

/** Doubles every second digit and adds both digits of the product, in base 36. */
function checkDigit(gstin: string): string {
  let sum = 0;
  for (let at = 0; at < LENGTH - 1; at += 1) {
    const product = DIGITS.indexOf(gstin.charAt(at)) * (at % 2 === 0 ? 1 : 2);
    sum += Math.floor(product / DIGITS.length) + (product % DIGITS.length);
  }
  return DIGITS.charAt((DIGITS.length - (sum % DIGITS.length)) % DIGITS.length);
}

/** Codes of Indian states and territories, as on invoices. */
export const STATES: Readonly<Record<string, string>> = {
  '01': words.gstin.jammuKashmir,
  '02': words.gstin.himachalPradesh,
  '03': words.gstin.punjab,
  '04': words.gstin.chandigarh,
  '05': words.gstin.uttarakhand,
  '06': words.gstin.haryana,
  '07': words.gstin.delhi,
  '08': words.gstin.rajasthan,
  '09': words.gstin.uttarPradesh,
  '10': words.gstin.bihar,
  '11': words.gstin.sikkim,
  '12': words.gstin.arunachalPradesh,
  '13': words.gstin.nagaland,
  '14': words.gstin.manipur,
  '15': words.gstin.mizoram,
  '16': words.gstin.tripura,
  '17': words.gstin.meghalaya,
  '18': words.gstin.assam,
  '19': words.gstin.westBengal,
  '20': words.gstin.jharkhand,
  '21': words.gstin.odisha,
  '22': words.gstin.chhattisgarh,
  '23': words.gstin.madhyaPradesh,
  '24': words.gstin.gujarat,
  '25': words.gstin.damanDiu,
  '26': words.gstin.dadraNagarHaveliDaman,
  '27': words.gstin.maharashtra,
  '28': words.gstin.andhraPradeshBefore2014,
  '29': words.gstin.karnataka,
  '30': words.gstin.goa,
  '31': words.gstin.lakshadweep,
  '32': words.gstin.kerala,
  '33': words.gstin.tamilNadu,
  '34': words.gstin.puducherry,
  '35': words.gstin.andamanNicobarIslands,
  '36': words.gstin.telangana,
  '37': words.gstin.andhraPradesh,
  '38': words.gstin.ladakh,
  '97': words.gstin.otherTerritory,
};

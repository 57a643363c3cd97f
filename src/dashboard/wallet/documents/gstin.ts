/** The GSTIN as far as it can be told without its office: the service asks the same again. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const FORMAT = /^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]$/;
const LENGTH = 15;

/** What is wrong with it, in words; undefined where nothing is. */
export function gstinProblem(typed: string): string | undefined {
  const gstin = typed.trim().toUpperCase();
  if (gstin.length !== LENGTH) return `A GSTIN has ${LENGTH} characters; this has ${gstin.length}.`;
  if (!(gstin.slice(0, 2) in STATES)) return 'Its first two digits are no state.';
  if (!FORMAT.test(gstin)) return 'It looks like 29ABCDE1234F1Z5.';
  if (checkDigit(gstin) !== gstin.at(-1)) return 'Its check digit is wrong: look for a typing error.';
  return undefined;
}

/** Every second digit counts twice, and both digits of what that makes are added; in base 36. */
function checkDigit(gstin: string): string {
  let sum = 0;
  for (let at = 0; at < LENGTH - 1; at += 1) {
    const product = DIGITS.indexOf(gstin.charAt(at)) * (at % 2 === 0 ? 1 : 2);
    sum += Math.floor(product / DIGITS.length) + (product % DIGITS.length);
  }
  return DIGITS.charAt((DIGITS.length - (sum % DIGITS.length)) % DIGITS.length);
}

/** Codes of Indian states and territories, as invoices show them. */
export const STATES: Readonly<Record<string, string>> = {
  '01': 'Jammu and Kashmir',
  '02': 'Himachal Pradesh',
  '03': 'Punjab',
  '04': 'Chandigarh',
  '05': 'Uttarakhand',
  '06': 'Haryana',
  '07': 'Delhi',
  '08': 'Rajasthan',
  '09': 'Uttar Pradesh',
  '10': 'Bihar',
  '11': 'Sikkim',
  '12': 'Arunachal Pradesh',
  '13': 'Nagaland',
  '14': 'Manipur',
  '15': 'Mizoram',
  '16': 'Tripura',
  '17': 'Meghalaya',
  '18': 'Assam',
  '19': 'West Bengal',
  '20': 'Jharkhand',
  '21': 'Odisha',
  '22': 'Chhattisgarh',
  '23': 'Madhya Pradesh',
  '24': 'Gujarat',
  '25': 'Daman and Diu',
  '26': 'Dadra and Nagar Haveli and Daman and Diu',
  '27': 'Maharashtra',
  '28': 'Andhra Pradesh (before 2014)',
  '29': 'Karnataka',
  '30': 'Goa',
  '31': 'Lakshadweep',
  '32': 'Kerala',
  '33': 'Tamil Nadu',
  '34': 'Puducherry',
  '35': 'Andaman and Nicobar Islands',
  '36': 'Telangana',
  '37': 'Andhra Pradesh',
  '38': 'Ladakh',
  '97': 'Other territory',
};

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
/** Codes that have a name but are not countries. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);
/** Codes of former countries, which browsers show under another name. */
const FORMER = new Set([
  'AN',
  'BU',
  'CS',
  'DD',
  'DY',
  'FX',
  'HV',
  'NH',
  'NT',
  'RH',
  'SU',
  'TP',
  'UK',
  'VD',
  'YD',
  'YU',
  'ZR',
]);

/** Every country that the browser has a name for, sorted by name; India first. */
export function countries(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'none' });
  const found = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
    .filter((code) => !NO_COUNTRIES.has(code) && !FORMER.has(code))
    .flatMap((code) => {
      const label = names.of(code);
      return label === undefined ? [] : [{ value: code, label }];
    })
    .toSorted((a, b) => a.label.localeCompare(b.label));
  return [...found.filter(({ value }) => value === 'IN'), ...found.filter(({ value }) => value !== 'IN')];
}

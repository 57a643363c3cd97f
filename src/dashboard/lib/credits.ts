/**
 * Credits are sent and received as decimal strings. All arithmetic uses whole micro-credits, because a float would lose
 * some.
 */
const MICROS_PER_CREDIT = 1_000_000n;
const DECIMAL = /^(-?)(\d{1,15})(?:\.(\d{0,6}))?$/;

/** The micro-credits of "12.5"; undefined if the text is not an amount of credits with up to six decimals. */
export function toMicros(text: string): bigint | undefined {
  const match = DECIMAL.exec(text.trim());
  if (!match) return undefined;
  const [, sign, whole = '0', fraction = ''] = match;
  const micros = BigInt(whole) * MICROS_PER_CREDIT + BigInt(fraction.padEnd(6, '0'));
  return sign ? -micros : micros;
}

/** Like `toMicros`, for amounts from the service, which are always valid. */
export function microsOf(credits: string): bigint {
  const micros = toMicros(credits);
  if (micros === undefined) throw new Error(`the service sent an amount that is none: ${credits}`);
  return micros;
}

/** The decimal string that the service accepts, without trailing zeros: "12.5". */
export function toCredits(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const absolute = micros < 0n ? -micros : micros;
  const fraction = (absolute % MICROS_PER_CREDIT).toString().padStart(6, '0').replace(/0+$/, '');
  return `${sign}${absolute / MICROS_PER_CREDIT}${fraction ? `.${fraction}` : ''}`;
}

/** For people: "1,234.50". At least two decimals, more only if the amount has them; never rounded. */
export function showCredits(credits: string): string {
  const text = toCredits(microsOf(credits));
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${text.startsWith('-') ? '−' : ''}${grouped}.${fraction.padEnd(2, '0')}`;
}

const MICROS_PER_HUNDREDTH = 10_000n;

/** Rounds down to hundredths where space is tight: never shows more than there is, or less than is owed. */
export function toHundredths(credits: string): string {
  const micros = microsOf(credits);
  const over = micros % MICROS_PER_HUNDREDTH;
  return toCredits(micros - over - (over < 0n ? MICROS_PER_HUNDREDTH : 0n));
}

const DAYS_PER_MONTH = 30n;

/** What a price per day makes in a month of 30 days, in an amount that people can picture: "≈ 0.05". */
export function showPerMonth(creditsPerDay: string): string {
  const micros = nearestHundredth(microsOf(creditsPerDay) * DAYS_PER_MONTH);
  return micros === 0n ? '< 0.01' : `≈ ${showCredits(toCredits(micros))}`;
}

/** An estimate in hundredths. What costs anything shows as at least one. */
export function showAbout(micros: bigint): string {
  const rounded = nearestHundredth(micros);
  return showCredits(toCredits(rounded === 0n && micros > 0n ? MICROS_PER_HUNDREDTH : rounded));
}

function nearestHundredth(micros: bigint): bigint {
  return ((micros + MICROS_PER_HUNDREDTH / 2n) / MICROS_PER_HUNDREDTH) * MICROS_PER_HUNDREDTH;
}

interface Buckets {
  readonly master: string;
  readonly creative: string;
  readonly cloud: string;
  readonly ai: string;
}

/** The sum of all buckets, without escrow and debt. */
export function spendable({ master, creative, cloud, ai }: Buckets): string {
  return toCredits([master, creative, cloud, ai].reduce((sum, amount) => sum + microsOf(amount), 0n));
}

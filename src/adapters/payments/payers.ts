/** Razorpay's placeholder if nobody was asked for an address. It would make strangers one payer. */
const NOBODY = new Set(['void@razorpay.com']);
/** Hosts that ignore dots in a mailbox's name. */
const DOTLESS_HOSTS = new Set(['gmail.com', 'googlemail.com']);

interface PayerMarks {
  readonly email?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly vpa?: string | null | undefined;
  readonly cardId?: string | null | undefined;
}

/** Normalized marks that identify a payer: `email:…`, `phone:…`, `vpa:…`, `card:…`. Absent marks are left out. */
export function payersOf(marks: PayerMarks): string[] {
  const email = plainEmail(marks.email);
  const phone = marks.phone?.replaceAll(/\D/g, '').replace(/^0+/, '');
  const vpa = marks.vpa?.trim().toLowerCase();
  return [
    ...(email ? [`email:${email}`] : []),
    ...(phone ? [`phone:${phone}`] : []),
    ...(vpa ? [`vpa:${vpa}`] : []),
    ...(marks.cardId ? [`card:${marks.cardId}`] : []),
  ];
}

/** Lower case, without `+tag`: these spellings reach the same mailbox. */
function plainEmail(text: string | null | undefined): string | null {
  const email = text?.trim().toLowerCase() ?? '';
  const at = email.lastIndexOf('@');
  if (at < 1 || NOBODY.has(email)) return null;
  const host = email.slice(at + 1);
  const name = email.slice(0, at).replace(/\+.*$/, '');
  return `${DOTLESS_HOSTS.has(host) ? name.replaceAll('.', '') : name}@${host}`;
}

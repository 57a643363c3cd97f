import { escapeHtml } from '../../../escapeHtml.js';
import type { WrittenEmail } from '../../../ports/emails.js';
import { cleaned, htmlOf, subjectOf, textOf, type Line } from './line.js';
import type { Letter } from './letter.js';
import { FOOTER, GREETING } from './letters.js';

export interface Surroundings {
  readonly name: string;
  /** The page where the recipient chooses emails; `null` for emails to people who may have no account. */
  readonly settingsUrl: string | null;
  readonly unsubscribeUrl: string | null;
}

/** Writes an email as plain text and as HTML with the same content. */
export function layout(letter: Letter, around: Surroundings): WrittenEmail {
  return { subject: subjectOf(letter.subject), text: plainText(letter, around), html: html(letter, around) };
}

function plainText({ paragraphs, facts = [], button, notes = [] }: Letter, around: Surroundings): string {
  const blocks = [
    greeting(around.name),
    ...paragraphs.map(textOf),
    facts.map(([label, value]) => `${label}: ${textOf([{ value: cleaned(value) }])}`).join('\n'),
    // Alone on its line, so that mail programs and people find all of it.
    `${button.label}:\n${button.url}`,
    ...notes.map(textOf),
    ['-- ', FOOTER.sender, ...footerLinks(around).map(({ label, url }) => `${label}: ${url}`)].join('\n'),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function html(letter: Letter, around: Surroundings): string {
  const { subject, paragraphs, facts = [], button, notes = [] } = letter;
  const first = paragraphs[0] ?? subject;
  const url = escapeHtml(button.url);
  const links = footerLinks(around).map(
    (link) =>
      `<a href="${escapeHtml(link.url)}" class="muted" style="${MUTED}text-decoration:underline">${link.label}</a>`,
  );
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subjectOf(subject))}</title>
<style>${STYLE}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f6f7;-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${htmlOf(first)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f3f6f7">
<tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;font-family:${FONT}">
<tr><td style="padding:0 8px 16px">${BRAND}</td></tr>
<tr><td class="card" style="padding:32px;background:#ffffff;border:1px solid #dbe3e6;border-radius:12px">
<h1 class="ink" style="margin:0 0 20px;font-size:22px;line-height:1.3;font-weight:650;${INK}${WRAP}">${htmlOf(subject)}</h1>
${[[greeting(around.name)], ...paragraphs].map((line) => paragraph(line)).join('\n')}
${factTable(facts)}
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0 4px"><tr>
<td style="border-radius:8px;background:#0b7485"><a class="button" href="${url}" style="display:inline-block;padding:12px 22px;border-radius:8px;background:#0b7485;color:#ffffff;font-size:16px;font-weight:600;line-height:1.25;text-decoration:none">${escapeHtml(button.label)}</a></td>
</tr></table>
${letter.showsLink ? `<p class="muted" style="margin:16px 0 0;font-size:13px;line-height:1.5;${MUTED}${WRAP}">${FOOTER.copyLink}<br>${breakable(url)}</p>` : ''}
${notes.map((line) => `<p class="muted" style="margin:16px 0 0;font-size:14px;line-height:1.5;${MUTED}${WRAP}">${htmlOf(line)}</p>`).join('\n')}
</td></tr>
<tr><td class="muted" style="padding:16px 8px 0;font-size:13px;line-height:1.6;${MUTED}">${FOOTER.sender}${links.length === 0 ? '' : `<br>${links.join(' &nbsp;·&nbsp; ')}`}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

const FONT = `-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif`;
const INK = 'color:#1b2428;';
const MUTED = 'color:#56646b;';
/** A long title or address must not widen the page of a phone. */
const WRAP = 'overflow-wrap:anywhere;word-break:break-word;';
/** Colors that programs may invert by themselves; those that know dark mode get ours. Phones get less padding. */
const STYLE = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background:#101518!important}
.card{background:#1a2226!important;border-color:#2c383e!important}
.ink,.brand{color:#e8eef0!important}
.muted{color:#a9b7bd!important}
.line{border-color:#2c383e!important}
}
@media (max-width:480px){.card{padding:24px 20px!important}}
`;
/** Drawn without pictures, which most programs hide at first. */
const BRAND = `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>
<td aria-hidden="true" align="center" valign="middle" width="30" height="30" style="width:30px;height:30px;border-radius:8px;background:#0b7485;color:#ffffff;font-size:14px;line-height:30px">&#9654;&#xFE0E;</td>
<td class="brand" style="padding-left:10px;font-size:18px;font-weight:700;${INK}">Dhara</td>
</tr></table>`;

function paragraph(line: Line): string {
  return `<p class="ink" style="margin:0 0 14px;font-size:16px;line-height:1.55;${INK}${WRAP}">${htmlOf(line)}</p>`;
}

function factTable(facts: NonNullable<Letter['facts']>): string {
  if (facts.length === 0) return '';
  const cell = 'padding:8px 0;font-size:15px;line-height:1.45;vertical-align:top;';
  const rows = facts.map(
    ([label, value]) =>
      `<tr><td class="muted line" style="${cell}padding-right:16px;border-top:1px solid #e4eaec;${MUTED}">${escapeHtml(label)}</td>` +
      `<td class="ink line" style="${cell}border-top:1px solid #e4eaec;${INK}${WRAP}"><bdi>${breakable(escapeHtml(cleaned(value)))}</bdi></td></tr>`,
  );
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:18px 0 6px">${rows.join('')}</table>`;
}

/** Lets an address in HTML break after its slashes, so that it does not break inside a word. */
function breakable(html: string): string {
  return /^https?:/.test(html) ? html.replaceAll(/(?<![/:])\/(?!\/)/g, '/<wbr>') : html;
}

function footerLinks({ settingsUrl, unsubscribeUrl }: Surroundings): { label: string; url: string }[] {
  return [
    ...(settingsUrl === null ? [] : [{ label: FOOTER.settings, url: settingsUrl }]),
    ...(unsubscribeUrl === null ? [] : [{ label: FOOTER.unsubscribe, url: unsubscribeUrl }]),
  ];
}

/** The name is chosen at sign-up: unfiltered, it could put a link of a stranger into our email. */
function greeting(name: string): string {
  const shown = name
    .slice(0, 400)
    .replaceAll(/[^\p{L}\p{M}\p{N} '-]/gu, '')
    .slice(0, 60)
    .toWellFormed()
    .trim();
  return GREETING(shown);
}

import type { NotificationKind } from '../../domain/accounts/notices/notifications.service.js';

/** What emails of a kind are about, to go with "emails about …". */
const ABOUT: Readonly<Record<NotificationKind, string>> = {
  'video.ready': 'videos that are ready',
  'video.failed': 'videos that could not be processed',
  'wallet.low': 'credits that are running low',
  'wallet.runway_short': 'credits for storage that are running low',
  'webhook.disabled': 'webhook endpoints that were disabled',
};

/** The form posts to the page's own address. */
export function askPage(kind: NotificationKind): string {
  return page(
    'Unsubscribe?',
    `<p>You will get no more emails about ${ABOUT[kind]}. All other emails stay as they are.</p>
<form method="post"><button type="submit">Unsubscribe</button></form>`,
  );
}

export function donePage(kind: NotificationKind): string {
  return page(
    'You are unsubscribed',
    `<p>You will get no more emails about ${ABOUT[kind]}.</p>
<p><a href="/settings/notifications">Choose which emails you get</a></p>`,
  );
}

export function invalidPage(): string {
  return page(
    'This link does not work',
    `<p>It is not complete, or not from one of our emails. You can also <a href="/settings/notifications">choose which emails you get</a> in your settings.</p>`,
  );
}

export function failedPage(): string {
  return page('Something went wrong', '<p>Nothing was changed. Try again in a moment.</p>');
}

/** Without scripts, and with nothing that a visitor entered. */
function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Dhara</title>
<style>${STYLE}</style>
</head>
<body><main><h1>${title}</h1>${body}</main></body>
</html>
`;
}

const STYLE = `
:root{color-scheme:light dark}
body{margin:0;background:light-dark(#f6f8f9,#101517);color:light-dark(#1b2428,#dfe6e9);font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif}
main{max-width:480px;margin:12vh auto 0;padding:0 20px}
h1{margin:0 0 12px;font-size:24px;line-height:1.3}
a{color:light-dark(#0b6373,#74c8d5)}
button{padding:10px 20px;border:0;border-radius:8px;background:#0b7485;color:#fff;font:inherit;font-weight:600;cursor:pointer}
:focus-visible{outline:2px solid light-dark(#0b7485,#74c8d5);outline-offset:2px}
`;

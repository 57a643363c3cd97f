const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

class Html {
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** Escapes everything that is put in, except what this function has made. */
function html(strings, ...values) {
  return new Html(String.raw({ raw: strings }, ...values.map(escape)));
}

function escape(value) {
  if (Array.isArray(value)) return value.map(escape).join('');
  if (value instanceof Html) return value.text;
  return String(value ?? '').replaceAll(/[&<>"']/g, (character) => ENTITIES[character]);
}

function page(title, main) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Example videos</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <header><a href="/">Example videos</a></header>
        <main>${main}</main>
      </body>
    </html>`.toString();
}

export function listPage({ videos, nextCursor, isFirst }) {
  return page(
    'Videos',
    html`<h1>Videos</h1>
      ${videos.length === 0 ? html`<p>There are no videos yet.</p>` : ''}
      <ul class="videos">
        ${videos.map(listItem)}
      </ul>
      ${isFirst && nextCursor === null ? '' : pageLinks(nextCursor, isFirst)}`,
  );
}

function pageLinks(nextCursor, isFirst) {
  return html`<nav aria-label="Pages">
    ${isFirst ? '' : html`<a href="/">First page</a>`}
    ${nextCursor === null ? '' : html`<a href="/?cursor=${encodeURIComponent(nextCursor)}" rel="next">Next page</a>`}
  </nav>`;
}

function listItem({ id, title, thumbnailUrl, durationSeconds }) {
  // The title beside it says what the picture shows, so the picture itself needs no text.
  const picture = thumbnailUrl === null ? '' : html`<img src="${thumbnailUrl}" alt="" loading="lazy" />`;
  return html`<li>
    <a href="/videos/${id}">${picture}<span>${title}</span></a>
    <small>${clock(durationSeconds)}</small>
  </li>`;
}

export function videoPage({ video, token, rateLimit, dharaUrl }) {
  const poster = video.thumbnailUrl === null ? '' : html`poster="${video.thumbnailUrl}"`;
  const left =
    rateLimit === null ? '' : html`<p><small>${rateLimit.remaining} of ${rateLimit.limit} views left today</small></p>`;
  return page(
    video.title,
    html`<h1>${video.title}</h1>
      <dhara-player token="${token}" ${poster} title="${video.title}"></dhara-player>
      <noscript><p>Turn on JavaScript to play this video.</p></noscript>
      <p class="description">${video.description}</p>
      ${left}
      <script type="module" src="/freshToken.mjs"></script>
      <script type="module" src="${dharaUrl}/player/dhara-player.mjs"></script>`,
  );
}

export function errorPage({ title, text }) {
  return page(
    title,
    html`<h1>${title}</h1>
      <p>${text}</p>
      <p><a href="/">All videos</a></p>`,
  );
}

/** 83 seconds are 1:23. */
function clock(durationSeconds) {
  const seconds = Math.round(durationSeconds ?? 0);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

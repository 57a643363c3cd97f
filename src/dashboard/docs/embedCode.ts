/**
 * Code that plays in any page at once, also in a file on one's own disk: in a frame, since a page without a host may be
 * refused the stream itself. The comment says until when, because the code outlives its token.
 */
export function previewCode({ origin, token, title, note }: Preview): string {
  return [
    `<!-- ${note.replaceAll('--', '–')} -->`,
    `<iframe src="${origin}/embed#token=${token}&amp;title=${encodeURIComponent(title)}"`,
    `  title="${escaped(title)}" allow="autoplay; fullscreen; picture-in-picture"`,
    '  style="width: 100%; aspect-ratio: 16 / 9; border: 0"></iframe>',
  ].join('\n');
}

interface Preview {
  readonly origin: string;
  readonly token: string;
  readonly title: string;
  /** For people who read the code. */
  readonly note: string;
}

/** The player element for a site whose server hands out tokens at `/token?video=…`. */
export function playerCode({ origin, videoId, title }: { origin: string; videoId: string; title: string }): string {
  return `<script type="module" src="${origin}/player/dhara-player.mjs"></script>

<dhara-player id="video" title="${escaped(title)}"></dhara-player>

<script type="module">
  document.getElementById('video').tokenProvider = async () =>
    (await fetch('/token?video=${videoId}')).text();
</script>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

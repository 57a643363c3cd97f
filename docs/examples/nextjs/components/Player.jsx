import Script from 'next/script';
import { useEffect, useRef } from 'react';

/** Plays a video with a token that the server has created. */
export function Player({ video, token, dharaUrl }) {
  const player = useRef(null);

  // A token is valid for five minutes. If the page has been open for longer, the player asks for another one.
  useEffect(() => {
    player.current.tokenProvider = async () => {
      const response = await fetch(`/videos/${video.id}/token`, { method: 'POST' });
      if (!response.ok) throw new Error(`The site gave no token: ${response.status}`);
      return response.text();
    };
  }, [video.id]);

  return (
    <>
      <dhara-player ref={player} token={token} poster={video.thumbnailUrl} title={video.title} />
      <noscript>
        <p>Turn on JavaScript to play this video.</p>
      </noscript>
      <Script type="module" src={`${dharaUrl}/player/dhara-player.mjs`} />
    </>
  );
}

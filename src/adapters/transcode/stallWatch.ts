/** Nothing written for so long is a hang; x264 alone looks a second or two ahead. */
const STALL_SECONDS = 180;

/** Counts the seconds in which nothing was written; asked once a second. */
export function stallWatch(writtenSeconds: () => number): () => string | null {
  let last = -1;
  let idleSeconds = 0;
  return () => {
    const now = writtenSeconds();
    idleSeconds = now > last ? 0 : idleSeconds + 1;
    last = now;
    return idleSeconds >= STALL_SECONDS ? 'stall' : null;
  };
}

const WHOLE_KEY = /^(dk_(?:live|test)_[0-9A-Za-z]{4})[0-9A-Za-z]{41}([0-9A-Za-z]{4})$/;

/** A whole key as it is shown elsewhere, `dk_live_4f7a…9c1e`, so that the secret never leaves the page. */
export function shownKey(text: string): string {
  return text.trim().replace(WHOLE_KEY, '$1…$2');
}

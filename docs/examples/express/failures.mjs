import { DharaApiError, DharaConnectionError } from '@dhara/client';

const VIDEO_NOT_FOUND = { status: 404, title: 'Video not found', text: 'It does not exist, or it was deleted.' };
const NOT_READY = {
  status: 409,
  title: 'Not ready yet',
  text: 'This video is still being processed. Try again later.',
};
const QUOTA_REACHED = {
  status: 429,
  title: 'No views left today',
  text: 'All of today’s views of this site are used up. Come back after midnight UTC.',
};
const BAD_REQUEST = { status: 400, title: 'Bad request', text: 'This address is not valid.' };
const BROKEN = { status: 500, title: 'Something went wrong', text: 'That is our fault, not yours. Try again later.' };
const UNREACHABLE = {
  status: 502,
  title: 'Videos are unavailable',
  text: 'The video service does not respond at the moment. Try again in a minute.',
};

const PAGES = {
  VIDEO_NOT_FOUND,
  VIDEO_NOT_READY: NOT_READY,
  RATE_LIMIT_EXCEEDED: QUOTA_REACHED,
  INVALID_PARAMETER: BAD_REQUEST,
};

/** What to tell a visitor about an error: the status, a title, a sentence, and when to try again, if that is known. */
export function failureOf(error) {
  const retryAfterSeconds = error instanceof DharaApiError ? error.retryAfterSeconds : null;
  return { ...pageOf(error), retryAfterSeconds };
}

function pageOf(error) {
  if (error instanceof DharaConnectionError) return UNREACHABLE;
  if (error instanceof DharaApiError) return PAGES[error.code] ?? (error.status >= 500 ? UNREACHABLE : BROKEN);
  // Express refuses some requests itself, such as an address with a broken escape.
  return error.status >= 400 && error.status < 500 ? BAD_REQUEST : BROKEN;
}

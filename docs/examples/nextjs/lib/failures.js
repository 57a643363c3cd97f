import { DharaApiError, DharaConnectionError } from '@dhara/client';

const BROKEN = { status: 500, title: 'Something went wrong', text: 'That is our fault, not yours. Try again later.' };
const UNREACHABLE = {
  status: 502,
  title: 'Videos are unavailable',
  text: 'The video service does not respond at the moment. Try again in a minute.',
};
const BY_CODE = {
  VIDEO_NOT_FOUND: { status: 404, title: 'Video not found', text: 'It does not exist, or it was deleted.' },
  VIDEO_NOT_READY: {
    status: 409,
    title: 'Not ready yet',
    text: 'This video is still being processed. Try again later.',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    title: 'No views left today',
    text: 'All of today’s views of this site are used up. Come back after midnight UTC.',
  },
  INVALID_PARAMETER: { status: 400, title: 'Bad request', text: 'This address is not valid.' },
};

/** The props that `load` returns. If it fails, sets the status, and returns what to tell the visitor as `failure`. */
export async function propsOrFailure(res, load) {
  res.setHeader('Cache-Control', 'no-store');
  try {
    return { props: await load() };
  } catch (error) {
    return { props: { failure: fail(res, error) } };
  }
}

/** Sets the status and headers of an error, logs what is not the visitor's doing, and returns what to tell them. */
export function fail(res, error) {
  const { status, title, text } = failureOf(error);
  if (status >= 500) console.error(error);
  res.statusCode = status;
  const seconds = error instanceof DharaApiError ? error.retryAfterSeconds : null;
  if (seconds !== null) res.setHeader('Retry-After', String(Math.ceil(seconds)));
  return { title, text };
}

function failureOf(error) {
  if (error instanceof DharaConnectionError) return UNREACHABLE;
  if (!(error instanceof DharaApiError)) return BROKEN;
  return BY_CODE[error.code] ?? (error.status >= 500 ? UNREACHABLE : BROKEN);
}

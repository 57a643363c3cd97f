/**
 * The script of the API reference: sends what its forms describe to this service, and shows the responses.
 *
 * It is plain browser code, served as it is. The key is read from its field for each request and stored nowhere.
 */
const keyField = document.querySelector('#api-key');

for (const element of document.querySelectorAll('.scripted')) element.hidden = false;
for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(form);
  });
}

async function submit(form) {
  // A second press while a request runs would mint a second token.
  if (form.ariaBusy === 'true') return;
  form.ariaBusy = 'true';
  const response = form.querySelector('.response');
  const [status, body] = [response.querySelector('p'), response.querySelector('pre')];
  response.hidden = false;
  status.textContent = 'Sending…';
  body.textContent = '';
  try {
    const answer = await send(form);
    status.textContent = answer.status;
    body.textContent = answer.body;
  } catch {
    status.textContent = 'No response. Check your connection and try again.';
  } finally {
    form.ariaBusy = 'false';
  }
}

/** Sends one form, and returns the response as text. */
async function send(form) {
  const startedAtMs = performance.now();
  const headers = 'key' in form.dataset ? { 'x-service-key': keyField.value.trim() } : {};
  const options = { method: form.dataset.method, headers, credentials: 'omit', cache: 'no-store' };
  const response = await fetch(addressOf(form), options);
  const text = await response.text();
  const durationMs = Math.round(performance.now() - startedAtMs);
  const left = response.headers.get('x-ratelimit-remaining');
  const quota = left === null ? '' : ` · ${left} tokens left today`;
  return { status: `${response.status} ${response.statusText} · ${durationMs} ms${quota}`, body: pretty(text) };
}

/** The path with its parameters, on the origin that served this page. Empty query parameters are left out. */
function addressOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const field of form.querySelectorAll('[data-in]')) {
    const value = field.value.trim();
    if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, () => encodeURIComponent(value));
    else if (value !== '') query.set(field.name, value);
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

import type { CheckoutWayFragment } from '../../generated/graphql.js';

/**
 * Opens the provider's pay page, by a link or by posting a form. Builds elements, because this site's policy allows
 * no inline scripts, and allows forms only to the providers.
 */
export function openCheckout({ method, url, fields }: CheckoutWayFragment): void {
  if (method !== 'POST') {
    location.assign(url);
    return;
  }
  const form = document.createElement('form');
  form.method = 'post';
  form.action = url;
  form.hidden = true;
  for (const { name, value } of fields) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}

import type { CheckoutWayFragment } from '../../generated/graphql.js';

/**
 * Leaves for the provider's pay page: by a link, or by posting a form. Built element by element: the policy of this
 * site allows no inline script, and allows forms to the providers only.
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

import type { Page } from 'playwright-core';

/** Runs one operation as the user who is signed in on this page. */
async function askAs<Data>(page: Page, query: string, variables: Record<string, unknown>): Promise<Data> {
  const { origin } = new URL(page.url());
  const response = await page.request.post('/graphql', { data: { query, variables }, headers: { origin } });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Moves credits from Master to Creative as the user who is signed in on this page. */
export async function allocate(page: Page, credits: number): Promise<void> {
  await askAs(
    page,
    `mutation ($amount: Credits!, $key: String!) {
      allocateCredits(from: MASTER, to: CREATIVE, amount: $amount, idempotencyKey: $key) { master }
    }`,
    { amount: String(credits), key: crypto.randomUUID() },
  );
}

/** Tops up as the user who is signed in on this page, and returns once the credits have arrived. */
export async function topUp(page: Page, rupees: number): Promise<void> {
  const { createTopUp } = await askAs<{ createTopUp: { checkout: { url: string } } }>(
    page,
    `mutation ($amount: String!, $key: String!) {
      createTopUp(provider: RAZORPAY, amount: $amount, idempotencyKey: $key) { checkout { url } }
    }`,
    { amount: String(rupees), key: crypto.randomUUID() },
  );
  await page.goto(createTopUp.checkout.url);
  await page.getByRole('button', { name: 'Pay now' }).click();
  await page.getByRole('heading', { name: `${rupees.toFixed(2)} credits arrived` }).waitFor();
}

import type { Page } from 'playwright-core';

interface Newcomer {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Fills the form of the sign-up page and sends it; the link to confirm the address is in an email. */
export async function sendSignUp(page: Page, { name, email, password }: Newcomer): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
}
